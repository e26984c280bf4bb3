/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions of arch/cpu.h that are single instructions. */
#include "arch/cpu.h"

void arch_relax(void)
{
    __asm__ volatile("pause");
}

/* No interrupt comes between the two (Intel SDM vol. 2, "STI") and leaves the CPU halted. */
void arch_idle(void)
{
    __asm__ volatile("sti\n\thlt" : : : "memory");
}
