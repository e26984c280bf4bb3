/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A kernel that turns all watches off while Pitot records, as one might that keeps debug registers
 * for its threads: as soon as it records, or just before it ends, as WHEN of the linker's command
 * line says. Linked in front of record_begin and record_end (port.mk) for tests/boot/ports_c.t.
 */
#include "ports/c/kernel.h"

extern const char WHEN[]; /* 1: at the beginning, 2: at the end */

void __wrap_record_begin(const char *options);
void __real_record_begin(const char *options);
void __wrap_record_end(void);
void __real_record_end(void);

static void watches_disarm(void)
{
    __asm__ volatile("mov %0, %%dr7" : : "r"(0x400ull));
}

void __wrap_record_begin(const char *options)
{
    __real_record_begin(options);
    if ((uint64_t)WHEN == 1)
        watches_disarm();
}

void __wrap_record_end(void)
{
    if ((uint64_t)WHEN == 2)
        watches_disarm();
    __real_record_end();
}
