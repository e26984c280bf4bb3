/* SPDX-License-Identifier: BSD-2-Clause */
/* Registers that the embedding kernel chooses; replaces arch/x86_64/debug/stop_own.h. In a stop. */
#pragma once

#include "arch/x86_64/cpu/cpu.h"
#include "arch/x86_64/cpu/regs.h"

static inline uint64_t stop_gs_base(unsigned cpu)
{
    (void)cpu;
    return cpu_read_msr(MSR_GS_BASE);
}

/* arch_embed_regs has replaced the selector in the frame. */
static inline uint64_t stop_code_selector(const struct regs *regs)
{
    uint16_t selector;

    (void)regs;
    __asm__("movw %%cs, %0" : "=r"(selector));
    return selector;
}
