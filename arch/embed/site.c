/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Another kernel's code is written where it lies, with write protection off. Interrupts off, all
 * other CPUs parked.
 */
#include "arch/patch.h"
#include "arch/x86_64/cpu/cpu.h"

static uint64_t cr0; /* to be restored */

void *arch_text_open(uintptr_t address)
{
    cr0 = cpu_read_cr0();
    if (!(cpu_read_cr4() & CR4_CET)) /* with it, WP stays */
        cpu_write_cr0(cr0 & ~CR0_WP);
    return (void *)address;
}

void arch_text_close(void)
{
    cpu_write_cr0(cr0);
}
