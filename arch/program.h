/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What traps and stops ask about programs of the kernel that has them (docs/programs.md). A kernel
 * without programs answers that there is no space. Any context.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct regs;

/* A program's address space. */
struct arch_space;

/* The space of this CPU, or of a stopped CPU; NULL: only the kernel's. */
struct arch_space *space_of_cpu(unsigned cpu);

/*
 * Read or write a program's memory through its page tables, so they cannot fault, even with SMAP.
 * Return false if a byte is not mapped for the program, or cannot be written; the bytes before that
 * page have been copied. Any context while the space exists; only its own thread changes it.
 */
bool arch_user_read(const struct arch_space *space, uintptr_t address, void *to, size_t length);
bool arch_user_write(struct arch_space *space, uintptr_t address, const void *from, size_t length);

/* Emulate `syscall` (`next`: what follows it) and `sysret` for a debugger's step. */
void user_make_syscall(struct regs *regs, uintptr_t next);
void user_make_sysret(struct regs *regs);

/*
 * --- Single-stepping programs. core/event/program_steps.c decides which programs are stepped. ---
 */

/* One thread's step state (core/pitot.h). [that thread, interrupts off or in its debug traps] */
struct pitot_step;

/*
 * leave    before a return to a program, after `leave` of arch_user_handlers: interrupts off, on
 *          the thread's stack.
 * stepped  after an instruction with the trap flag set, under the rules of a step handler.
 *          Returns false if the flag was the program's own: the trap is then passed to it.
 */
struct arch_user_steppers {
    void (*leave)(struct regs *regs);
    bool (*stepped)(struct regs *regs);
};
void arch_user_step_set_handlers(const struct arch_user_steppers *with);

/*
 * Start stepping the current program from these registers, in `leave`, or stop stepping it, in
 * either handler. The program sees this trap flag neither in flags that it pushes nor in r11 after
 * a system call; if it loads flags with the trap flag set, that counts as its own.
 */
void arch_user_step_begin(struct pitot_step *step, struct regs *regs);
void arch_user_step_end(struct pitot_step *step, struct regs *regs);

/*
 * Called in `stepped` when the step is complete. Stores in *from what arch_step_branch would
 * return. Returns false if the program's own trap flag would have trapped here, too.
 * arch_user_step_more starts the next step.
 */
bool arch_user_step_over(struct pitot_step *step, struct regs *regs, uintptr_t *from);
void arch_user_step_more(struct regs *regs);

/*
 * Called in a watch handler: `leave` of arch_user_handlers will be called before the program's next
 * instruction.
 */
void arch_user_look(void);
