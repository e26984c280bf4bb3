/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * User mode: how a program starts, and how it enters the kernel. Programs and system calls are in
 * kernel/user; docs/programs.md.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arch_stack;
struct regs;

/*
 * Enters user mode for the first time, in the space that was entered last: the program starts at
 * `ip` with this stack pointer and all other registers 0. Called on the thread's own stack, which
 * is empty from now on. Task context.
 */
_Noreturn void arch_user_begin(uintptr_t ip, uintptr_t sp);

/*
 * Handlers for programs. All run on the stack of the program's thread.
 *   call    the program has executed `syscall`: the number is regs->error, arguments are in di, si,
 *           dx, r10, r8, r9; the result goes to ax. Interrupts on.
 *   fault   the program caused an exception; does not return. Interrupts on.
 *   leave   the kernel is about to return to the program: interrupts off, may switch or not return.
 */
struct arch_user_handlers {
    void (*call)(struct regs *regs);
    void (*fault)(struct regs *regs);
    void (*leave)(struct regs *regs);
};
void arch_user_set_handlers(const struct arch_user_handlers *with);

/*
 * The feature that programs need and this machine's CPUs lack, as a phrase; NULL: none. Any
 * context.
 */
const char *arch_user_missing(void);
