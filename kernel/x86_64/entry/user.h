/* SPDX-License-Identifier: BSD-2-Clause */
/* The user mode boundary, beyond kernel/x86_64/user.h: for traps and CPU setup. */
#pragma once

#include "arch/regs.h"

/* Prepares this CPU for `syscall`. Once per CPU, by percpu_init. */
void user_init_cpu(void);

/* Serves a program's interrupt or exception, on its thread's stack. Interrupts off. */
void user_trap(struct regs *regs, bool exception);

/* Called by syscall_entry, interrupts off. True if `sysret` can restore the program's state. */
bool user_syscall(struct regs *regs);

/* --- trap_entry.asm --- */
extern const char syscall_entry[];
_Noreturn void user_begin(uintptr_t ip, uintptr_t sp, uintptr_t stack);
