/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions of arch/cpu.h and arch/memory.h of one or two instructions. Any context. */
#include "arch/cpu.h"
#include "arch/memory.h"
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

/* Bits 63 to 47 are equal (Intel SDM vol. 1, "Canonical Addressing"). */
bool arch_canonical(uintptr_t address)
{
    return (uint64_t)((int64_t)(address << 16) >> 16) == address;
}
