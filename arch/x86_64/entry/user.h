/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The border to user mode, beside what arch/user.h says of it. What traps and CPUs need of it.
 */
#pragma once

#include "arch/x86_64/cpu/regs.h"

/* This CPU takes `syscall`. Once a CPU, by percpu_init. */
void user_init_cpu(void);

/*
 * A frame from user mode, on its thread's stack: an interrupt has been served, or `exception` says
 * that it is one. Interrupts off.
 */
void user_trap(struct regs *regs, bool exception);

/* From syscall_entry, interrupts off. True: `sysret` gives the program back what it had. */
bool user_syscall(struct regs *regs);

/*
 * What `syscall` does to a program's registers, `next` being the address after it, and `sysret` to
 * those of its exit: for a debugger's step, which resumes with them by `iretq`. Any context.
 */
void user_make_syscall(struct regs *regs, uintptr_t next);
void user_make_sysret(struct regs *regs);

/* trap_entry.asm */
extern const char syscall_entry[];
_Noreturn void user_begin(uintptr_t ip, uintptr_t sp, uintptr_t stack);
