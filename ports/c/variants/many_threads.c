/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The sample kernel names more threads than there is room for: first without an end, then 200 that
 * end. With "flood" it makes more records than there is room for, instead. Linked in front of
 * record_begin (port.mk) for tests/boot/ports_c.t.
 */
#include "ports/c/kernel.h"

#include "pitot.h"

void __wrap_record_begin(const char *options);
void __real_record_begin(const char *options);

static const char *fill(uint32_t *named)
{
    const char *wrong;

    for (*named = 0; !(wrong = pitot_thread_named(1000 + *named, "full")); ++*named) {
    }
    return wrong;
}

void __wrap_record_begin(const char *options)
{
    char name[] = "short-000";
    uint32_t named;

    while (*options == ' ')
        options++;
    if (*options == 'f') {
        __real_record_begin(options + sizeof("flood"));
        for (uint32_t i = 0; i < 2000; i++)
            PITOT_MARK("flood", i);
        return;
    }
    __real_record_begin(options);
    say(fill(&named));
    say("\n");
    while (named)
        pitot_thread_ended(1000 + --named);
    for (uint32_t pid = 100; pid < 300; pid++) {
        for (uint32_t digit = 8, left = pid; digit > 5; digit--, left /= 10)
            name[digit] = (char)('0' + left % 10);
        pitot_thread_named(pid, name);
        pitot_thread_runs(pid);
        PITOT_MARK(name, pid);
        pitot_thread_ended(pid);
    }
    pitot_thread_runs(0);
}
