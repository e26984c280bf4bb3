/* SPDX-License-Identifier: BSD-2-Clause */
/* Level 3, many CPUs: interrupts the others, which then call pitot_stand (cpu.c). */
#include "ports/c/kernel.h"

uint32_t cpu_number(void)
{
    return this_cpu()->number;
}

void others_ask(void)
{
    others_interrupt(STAND_VECTOR);
}
