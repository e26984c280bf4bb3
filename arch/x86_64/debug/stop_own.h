/* SPDX-License-Identifier: BSD-2-Clause */
/* Registers that depend on the kernel: arch/embed replaces this file. In a stop. */
#pragma once

#include "arch/x86_64/cpu/percpu.h"
#include "arch/x86_64/cpu/regs.h"

static inline uint64_t stop_gs_base(unsigned cpu)
{
    return (uintptr_t)&percpu[cpu];
}

static inline uint64_t stop_code_selector(const struct regs *regs)
{
    return regs->cs;
}
