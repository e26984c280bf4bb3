/* SPDX-License-Identifier: BSD-2-Clause */
/* Single-stepping programs. kernel/user/process_steps.c decides which programs are stepped. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct regs;

/*
 * The step state of one program thread: written by that thread, with interrupts off or in its debug
 * traps. Initially all 0.
 */
struct arch_user_step {
    uintptr_t ip; /* the instruction to step next */
    bool on;      /* the thread is stepped */
    bool traps;   /* ... and the program has also set the trap flag itself */
};

/*
 *   leave    the kernel is about to return to a program: interrupts off, after `leave` of
 *            arch_user_handlers, on the program's thread's stack.
 *   stepped  after an instruction of a program that had the trap flag set: under the rules of a
 *            step handler. False: the flag was the program's own, and the trap is passed to it.
 */
struct arch_user_steppers {
    void (*leave)(struct regs *regs);
    bool (*stepped)(struct regs *regs);
};
void arch_user_step_set_handlers(const struct arch_user_steppers *with);

/*
 * arch_user_step_begin starts stepping the current program from these registers; called in `leave`.
 * arch_user_step_end stops it; called in both handlers. The program does not see the flag, neither
 * in flags that it pushes nor in r11 after a system call; if it loads flags with the trap flag set,
 * that is remembered as its own.
 */
void arch_user_step_begin(struct arch_user_step *step, struct regs *regs);
void arch_user_step_end(struct arch_user_step *step, struct regs *regs);

/*
 * Called in `stepped` when the step is complete. *from is as for arch_step_branch; false: the
 * program's own trap flag would have trapped here as well. arch_user_step_more starts the next
 * step.
 */
bool arch_user_step_over(struct arch_user_step *step, struct regs *regs, uintptr_t *from);
void arch_user_step_more(struct regs *regs);

/*
 * Ensures that `leave` of arch_user_handlers is called before the next instruction of the program
 * that was hit. Called in a watch handler.
 */
void arch_user_look(void);
