/* SPDX-License-Identifier: BSD-2-Clause */
/* See accesses.h. */
#include "tests/programs/accesses.h"

#include "programs/system.h"
#include "programs/text.h"

#define ACCESS_FUNCTION(name, reads, writes, how) access_##name,

int main(int argc, char **argv);

int main(int argc, char **argv)
{
    static void (*const functions[])(uint8_t *, const uint8_t *,
                                     uint64_t) = {ACCESSES(ACCESS_FUNCTION)};
    const size_t count = sizeof(functions) / sizeof(functions[0]);
    long argument[5];

    if (argc != 6)
        return 1;
    for (int i = 0; i < 5; i++) {
        argument[i] = text_number(argv[i + 1]);
        if (argument[i] < 0)
            return 1;
    }
    if ((size_t)argument[0] >= count || argument[1] > ACCESS_AREA || argument[2] > ACCESS_AREA)
        return 1;
    if (argument[4])
        __asm__ volatile("std" : : : "memory");
    functions[argument[0]](access_area + argument[1], access_area + argument[2],
                           (uint64_t)argument[3]);
    __asm__ volatile("cld" : : : "memory");
    return 0;
}
