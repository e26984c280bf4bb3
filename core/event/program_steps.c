/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Steps programs to record their branches (docs/sources.md). Stepping begins at a thread's next
 * return to user mode, and ends at the first step or return at which no event needs it. Its state
 * is per thread; the kernel itself is not stepped.
 */
#include "arch/cpu.h"
#include "arch/program.h"
#include "arch/regs.h"
#include "core/event/source_branches.h"
#include "core/host.h"

/* Interrupts off; `regs` is the program's frame, on its thread's stack. */
ARCH_HIT_TEXT static void steps_leave(struct regs *regs)
{
    struct pitot_step *step = host.thread_step();

    if (branches_of_program_wanted())
        arch_user_step_begin(step, regs);
    else if (step->on)
        arch_user_step_end(step, regs);
}

/*
 * Handles the debug trap after a step. If the program's own trap flag also traps here, the step is
 * reported first.
 */
ARCH_HIT_TEXT static bool steps_stepped(struct regs *regs)
{
    struct pitot_step *step = host.thread_step();
    uintptr_t from;
    bool ours;

    if (!step->on)
        return false;
    ours = arch_user_step_over(step, regs, &from);
    if (branches_of_program_wanted()) {
        branches_of_program(from, regs);
        arch_user_step_more(regs);
    } else {
        arch_user_step_end(step, regs);
    }
    return ours;
}

void branches_step_programs(void)
{
    static const struct arch_user_steppers steppers = {steps_leave, steps_stepped};

    if (host.thread_step)
        arch_user_step_set_handlers(&steppers);
}
