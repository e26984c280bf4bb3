/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The sample kernel gives BP and FRAME, of the linker's command line, as the distances of its trap
 * entry; with "late" it records after two ticks. Linked in front of pitot_init and pitot_start
 * (port.mk) for tests/boot/ports_c.t.
 */
#include "ports/c/kernel.h"

#include "pitot.h"

extern const char BP[], FRAME[];

const char *__wrap_pitot_init(const struct pitot_kernel *kernel);
const char *__real_pitot_init(const struct pitot_kernel *kernel);
const char *__wrap_pitot_start(const char *options);
const char *__real_pitot_start(const char *options);

const char *__wrap_pitot_init(const struct pitot_kernel *kernel)
{
    static struct pitot_kernel with;
    static struct pitot_trap trap;

    trap = (struct pitot_trap){kernel->traps->returns, (unsigned)(uint64_t)BP,
                               (unsigned)(uint64_t)FRAME};
    with = *kernel;
    with.traps = &trap;
    return __real_pitot_init(&with);
}

const char *__wrap_pitot_start(const char *options)
{
    while (*options == ' ')
        options++;
    if (*options == 'l') {
        for (uint64_t before = ticks; *(volatile uint64_t *)&ticks < before + 2;)
            __asm__ volatile("hlt");
        options += sizeof("late");
    }
    return __real_pitot_start(options);
}
