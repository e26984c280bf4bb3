/* SPDX-License-Identifier: BSD-2-Clause */
/* The contract's single instructions. */
#include "arch/cpu.h"

void arch_relax(void)
{
    __asm__ volatile("pause");
}

/*
 * sti takes effect after the next instruction, so an interrupt cannot slip in between and leave us
 * halted.
 */
void arch_idle(void)
{
    __asm__ volatile("sti\n\thlt" : : : "memory");
}
