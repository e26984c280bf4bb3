/* SPDX-License-Identifier: BSD-2-Clause */
/* The functions of arch/cpu.h that are single instructions. Context as stated there. */
#include "arch/cpu.h"

void arch_relax(void)
{
    __asm__ volatile("pause");
}

/*
 * sti takes effect after the next instruction, so an interrupt cannot arrive in between and leave
 * this CPU halted.
 */
void arch_idle(void)
{
    __asm__ volatile("sti\n\thlt" : : : "memory");
}
