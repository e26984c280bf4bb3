/* SPDX-License-Identifier: BSD-2-Clause */
/* See accesses.h. */
#include "tests/programs/accesses.h"

#include "programs/system.h"
#include "programs/text.h"

int main(int argc, char **argv);

typedef void access_function(uint8_t *to, const uint8_t *from, uint64_t count);

#define ACCESS_ROW(name, reads, writes, how) {#name, access_##name},

static access_function *find(const char *name)
{
    static const struct {
        const char *name;
        access_function *function;
    } rows[] = {ACCESSES(ACCESS_ROW)};

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if (text_equal(rows[i].name, name))
            return rows[i].function;
    return NULL;
}

int main(int argc, char **argv)
{
    access_function *function = argc == 6 ? find(argv[1]) : NULL;
    long to, from, count, down;

    if (!function)
        return 1;
    to = text_number(argv[2]);
    from = text_number(argv[3]);
    count = text_number(argv[4]);
    down = text_number(argv[5]);
    if (to < 0 || to > ACCESS_AREA || from < 0 || from > ACCESS_AREA || count < 0 || down < 0)
        return 1;
    if (down)
        __asm__ volatile("std" : : : "memory");
    function(access_area + to, access_area + from, (uint64_t)count);
    __asm__ volatile("cld" : : : "memory");
    return 0;
}
