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
