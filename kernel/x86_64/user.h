/* SPDX-License-Identifier: BSD-2-Clause */
/* How a program starts and enters the kernel: for kernel/user (docs/programs.md). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arch_stack;
struct regs;

/*
 * Starts the program at `ip` with this stack pointer and all other registers 0, in the space that
 * was entered last. The thread's own stack is empty from now on. Task context.
 */
_Noreturn void arch_user_begin(uintptr_t ip, uintptr_t sp);

/*
 * Handlers for programs, called on the stack of the program's thread.
 *   call    for `syscall`: the number is regs->error, arguments are in di, si, dx, r10, r8, r9; the
 *           result goes to ax. Interrupts on.
 *   fault   for a program's exception; does not return. Interrupts on.
 *   leave   before a return to the program, interrupts off; may switch threads or not return.
 */
struct arch_user_handlers {
    void (*call)(struct regs *regs);
    void (*fault)(struct regs *regs);
    void (*leave)(struct regs *regs);
};
void arch_user_set_handlers(const struct arch_user_handlers *with);

/*
 * Returns the feature (a phrase) that programs need and the CPUs lack; NULL if none. Any context.
 */
const char *arch_user_missing(void);
