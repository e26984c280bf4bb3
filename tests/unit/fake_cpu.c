/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The CPU functions that spinlocks need, for host tests that take locks in one thread: one CPU,
 * without interrupts.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "arch/cpu.h"

unsigned arch_cpu_id(void)
{
    return 0;
}

uint64_t arch_irq_save(void)
{
    return 0;
}

void arch_irq_restore(uint64_t flags)
{
    (void)flags;
}

void arch_relax(void)
{
    fail_msg("nobody else can hold a lock here");
}
