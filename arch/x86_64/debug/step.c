/* SPDX-License-Identifier: BSD-2-Clause */
/* Single steps; in the debug trap. Source: Intel SDM vol. 3, "Single-Step Exception Condition". */
#include "arch/step.h"
#include "arch/cpu.h"
#include "arch/memory.h"
#include "arch/program.h"
#include "arch/regs.h"
#include "arch/x86_64/debug/branch.h"
#include "arch/x86_64/debug/debugreg.h"
#include "arch/x86_64/entry/trap.h"

/* Outside of debug traps only the flag is set: an interrupt's exit checks it (trap_entry.asm). */
void arch_step_more(struct regs *regs)
{
    regs->flags |= FLAGS_TRAP;
    if (arch_trap_depth() > 0)
        debugreg_step(arch_cpu_id());
}

void arch_user_step_more(struct regs *regs)
{
    regs->flags |= FLAGS_TRAP;
    debugreg_step(arch_cpu_id());
}

void arch_step_no_more(struct regs *regs)
{
    regs->flags &= ~FLAGS_TRAP;
}

/* At trap_iretq the stack holds the frame: ip, cs. */
bool arch_step_possible(const struct regs *regs)
{
    if (regs_user_mode(regs))
        return false;
    for (const struct trap_border *border = trap_borders; border < trap_borders_end; border++)
        if (regs->ip >= border->from && regs->ip < border->to)
            return false;
    return regs->ip != trap_iretq || ((const uint64_t *)regs->sp)[1] == KERNEL_CODE_SELECTOR;
}

/* At the end of the text zeros replace the bytes after it. */
static int branch_taken_at_end(uintptr_t from, uintptr_t to)
{
    uint8_t bytes[2 * BRANCH_BYTES] = {0};

    __builtin_memcpy(bytes, (const void *)from, arch_text_end() - from);
    return branch_taken(bytes, from, to);
}

/* Reads only the kernel's text, which stays mapped. */
uintptr_t arch_step_branch(uintptr_t from, uintptr_t to)
{
    int at;

    if (from < arch_text_start() || from >= arch_text_end())
        return 0;
    if (arch_text_end() - from >= 2 * BRANCH_BYTES)
        at = branch_taken((const uint8_t *)from, from, to);
    else
        at = branch_taken_at_end(from, to);
    return at < 0 ? 0 : from + (unsigned)at;
}
