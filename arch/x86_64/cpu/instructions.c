/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions of arch/cpu.h that only read the flags, or are one or two instructions. Any context. */
#include "arch/cpu.h"
#include "arch/snapshot.h"

bool arch_irq_on(void)
{
    return regs_irq_on(arch_flags());
}

void arch_relax(void)
{
    __asm__ volatile("pause");
}

/*
 * No interrupt can arrive between `sti` and `hlt` (Intel SDM vol. 2, "STI") and leave the CPU
 * halted.
 */
void arch_idle(void)
{
    __asm__ volatile("sti\n\thlt" : : : "memory");
}
