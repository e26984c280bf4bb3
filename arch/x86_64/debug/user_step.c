/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Steps of a program: sets the trap flag in its frame, and hides it where the program could see or
 * change it. The flag is off in the kernel, and a return with the flag set is by `iretq`, after
 * which the next instruction traps first. On the thread's stack, interrupts off, or in the debug
 * trap. Sources: Intel SDM vol. 3, "Single-Step Exception Condition"; vol. 2, PUSHF, POPF, IRET,
 * SYSCALL.
 */
#include "arch/cpu.h"
#include "arch/program.h"
#include "arch/regs.h"
#include "arch/x86_64/debug/branch.h"
#include "core/pitot.h"

#define PUSHF 0x9c
#define POPF  0x9d
#define IRET  0xcf

#define TWO_BYTES 0x0f
#define SYSCALL   0x05 /* after TWO_BYTES */

/* After `syscall`, r11 holds the flags from before it. */
static void hide_in_call(const struct pitot_step *step, struct regs *regs)
{
    if (regs->vector == REGS_SYSCALL)
        regs_set_flag(&regs->r11, FLAGS_TRAP, step->traps);
}

void arch_user_step_begin(struct pitot_step *step, struct regs *regs)
{
    if (!step->on) {
        step->on = true;
        step->traps = (regs->flags & FLAGS_TRAP) != 0;
    } else if (!(regs->flags & FLAGS_TRAP)) {
        step->traps = false; /* another program has begun, or its own steps have ended */
    }
    hide_in_call(step, regs);
    step->ip = regs->ip;
    regs->flags |= FLAGS_TRAP;
    percpu_self()->program_steps = true;
}

void arch_user_step_end(struct pitot_step *step, struct regs *regs)
{
    step->on = false;
    percpu_self()->program_steps = false;
    hide_in_call(step, regs);
    if (!step->traps) /* and if it is clear, nothing has set it since */
        regs->flags &= ~FLAGS_TRAP;
}

/* Corrects the low 16 bits of the pushed flags, for either operand size. */
static void hide_in_stack(const struct pitot_step *step, const struct regs *regs)
{
    struct arch_space *space = space_of_cpu(arch_cpu_id());
    uint64_t flags = 0;

    if (!arch_user_read(space, regs->sp, &flags, sizeof(uint16_t)))
        return;
    regs_set_flag(&flags, FLAGS_TRAP, step->traps);
    arch_user_write(space, regs->sp, &flags, sizeof(uint16_t));
}

/*
 * Judges the instruction at step->ip, or the next one if it delays the trap. Returns true if that
 * was `syscall`; step->ip is then after it. The code does not change while its instruction runs;
 * unreadable bytes are 0.
 */
static bool judge(struct pitot_step *step, struct regs *regs, uintptr_t *from)
{
    uint8_t bytes[2 * BRANCH_BYTES] = {0}, *last;
    int at;

    arch_user_read(space_of_cpu(arch_cpu_id()), step->ip, bytes, sizeof(bytes));
    at = branch_taken(bytes, step->ip, regs->ip);
    *from = at < 0 ? 0 : step->ip + (unsigned)at;
    last = bytes + branch_shadow(bytes, step->ip, regs->ip);
    last += branch_prefixes(last);
    if (last[0] == TWO_BYTES && last[1] == SYSCALL) {
        *from = 0;
        step->ip += (uintptr_t)(last + 2 - bytes);
        return true;
    }
    if (*last == PUSHF)
        hide_in_stack(step, regs);
    if (*last == POPF || *last == IRET) /* it has loaded its own trap flag */
        step->traps = (regs->flags & FLAGS_TRAP) != 0;
    return false;
}

/*
 * A kernel that returns from a system call by `sysret`, which loads the flag from r11, may not call
 * `leave`: the trap comes at once, or in Bochs after the next instruction.
 */
bool arch_user_step_over(struct pitot_step *step, struct regs *regs, uintptr_t *from)
{
    bool traps = step->traps;

    if (judge(step, regs, from)) {
        regs_set_flag(&regs->r11, FLAGS_TRAP, traps);
        if (regs->ip != step->ip)
            judge(step, regs, from);
    }
    step->ip = regs->ip;
    return !traps;
}
