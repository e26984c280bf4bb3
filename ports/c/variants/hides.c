/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The sample kernel's other CPU turns interrupts off before all work, for as long as gdb wants.
 * Linked in front of what it wraps (port.mk) for tests/boot/ports_gdb_cpus.t.
 */
#include "ports/c/kernel.h"

uint32_t hide, begin, found; /* set by gdb, in this order */
uint32_t hidden;

void __wrap_record_begin(const char *options);
void __real_record_begin(const char *options);
void __wrap_other_main(void);
void __real_other_main(void);

/* gdb comes in here, and lets the work begin when it has seen the other CPU hide. */
void __wrap_record_begin(const char *options)
{
    __real_record_begin(options);
    while (!__atomic_load_n(&begin, __ATOMIC_ACQUIRE))
        __asm__ volatile("pause");
}

void __wrap_other_main(void)
{
    while (!__atomic_load_n(&hide, __ATOMIC_ACQUIRE))
        __asm__ volatile("pause");
    __asm__ volatile("cli");
    __atomic_store_n(&hidden, 1, __ATOMIC_RELEASE);
    while (!__atomic_load_n(&found, __ATOMIC_ACQUIRE))
        __asm__ volatile("pause");
    __asm__ volatile("sti");
    __real_other_main();
}
