/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The sample kernel gives Pitot a copy of the timer's frame: a true one, one with another rbp, or a
 * word too low, as SPOIL of the linker's command line says; with "late" it records after two ticks.
 * Linked in front of pitot_tick and pitot_start (port.mk) for tests/boot/ports_c.t.
 */
#include "ports/c/kernel.h"

#include "pitot.h"

extern const char SPOIL[]; /* 0, 1, 2 */

void __wrap_pitot_tick(const void *frame);
void __real_pitot_tick(const void *frame);
const char *__wrap_pitot_start(const char *options);
const char *__real_pitot_start(const char *options);

void __wrap_pitot_tick(const void *frame)
{
    struct trap_frame copy = *(const struct trap_frame *)frame;

    if ((uint64_t)SPOIL == 1)
        copy.bp ^= 8;
    __real_pitot_tick((uint64_t)SPOIL == 2 ? (const uint64_t *)frame - 1 : (const void *)&copy);
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
