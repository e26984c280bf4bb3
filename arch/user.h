/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * User mode: how a program begins, and how it enters the kernel. kernel/user has the programs and
 * system calls; docs/programs.md.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arch_stack;
struct regs;

/*
 * Leaves the kernel for the first time, in the space that was entered last: the program starts at
 * `ip` with this stack pointer; all other registers are 0. Called on the thread's own stack, which
 * is empty from now on. Task context.
 */
_Noreturn void arch_user_begin(uintptr_t ip, uintptr_t sp);

/*
 * What core does for programs. All run on the program's thread's stack.
 *   call    it has executed `syscall`: the number is regs->error, arguments are in di, si, dx, r10,
 *           r8, r9; the result goes to ax. Interrupts on.
 *   fault   an exception that is the program's own doing; does not return. Interrupts on.
 *   leave   the kernel is about to return to it: interrupts off, may switch, or not return.
 */
struct arch_user_handlers {
    void (*call)(struct regs *regs);
    void (*fault)(struct regs *regs);
    void (*leave)(struct regs *regs);
};
void arch_user_set_handlers(const struct arch_user_handlers *with);

/* What the CPUs of this machine lack for programs, as a phrase; NULL: nothing. Any context. */
const char *arch_user_missing(void);
