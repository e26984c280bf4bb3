/* SPDX-License-Identifier: BSD-2-Clause */
/* Single steps of programs. kernel/user/process_steps.c decides which are stepped. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct regs;

/*
 * The step of one program's thread: written by that thread, with interrupts off or in its debug
 * traps. All 0 at first.
 */
struct arch_user_step {
    uintptr_t ip; /* the instruction that the next step runs */
    bool on;      /* it is stepped */
    bool traps;   /* ... and the program has also set the trap flag itself */
};

/*
 *   leave    the kernel is about to return to a program: interrupts off, after what
 *            arch_user_handlers has for it, on the program's thread's stack.
 *   stepped  after an instruction of a program that had the trap flag: as a step handler. False:
 *            the flag was the program's own, it is to be told.
 */
struct arch_user_steppers {
    void (*leave)(struct regs *regs);
    bool (*stepped)(struct regs *regs);
};
void arch_user_step_set_handlers(const struct arch_user_steppers *with);

/*
 * arch_user_step_begin: the current program is stepped from these registers on; called in `leave`.
 * arch_user_step_end: it is no longer stepped; called in both. The program does not see the flag,
 * neither in what it pushes nor in r11 after a system call; a flag that it loads is remembered as
 * its own.
 */
void arch_user_step_begin(struct arch_user_step *step, struct regs *regs);
void arch_user_step_end(struct arch_user_step *step, struct regs *regs);

/*
 * Called in `stepped`: the step is over. *from is as for arch_step_branch; false: the program's own
 * flag would have trapped here as well. The second function starts the next step.
 */
bool arch_user_step_over(struct arch_user_step *step, struct regs *regs, uintptr_t *from);
void arch_user_step_more(struct regs *regs);

/*
 * `leave` of arch_user_handlers is called before the next instruction of the program that was hit.
 * Called in a watch handler.
 */
void arch_user_look(void);
