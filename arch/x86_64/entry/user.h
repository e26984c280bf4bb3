/* SPDX-License-Identifier: BSD-2-Clause */
/* The user mode boundary: what traps and CPU setup need of it, beyond arch/user.h. */
#pragma once

#include "arch/x86_64/cpu/regs.h"

/* Prepares this CPU for `syscall`. Called once on each CPU, by percpu_init. */
void user_init_cpu(void);

/*
 * Serves a frame from user mode, on its thread's stack: after an interrupt, or an exception if
 * `exception`. Interrupts off.
 */
void user_trap(struct regs *regs, bool exception);

/*
 * Called by syscall_entry, with interrupts off. True if `sysret` can restore the program's state.
 */
bool user_syscall(struct regs *regs);

/*
 * Emulate the effect of `syscall` (`next` is the address after it) and `sysret` on a program's
 * registers, for a debugger's step, which resumes with them by `iretq`. Any context.
 */
void user_make_syscall(struct regs *regs, uintptr_t next);
void user_make_sysret(struct regs *regs);

/* trap_entry.asm */
extern const char syscall_entry[];
_Noreturn void user_begin(uintptr_t ip, uintptr_t sp, uintptr_t stack);
