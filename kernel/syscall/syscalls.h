/* SPDX-License-Identifier: BSD-2-Clause */
/* The system calls of syscall_table.h. In the calling program's thread, interrupts on. */
#pragma once

#include <stdint.h>

#include "core/pitot.h"
#include "kernel/syscall/syscall_table.h"

struct regs;

/* Each function takes its arguments from the registers and returns 0 or more, or -errno. */
#define SYSCALL_FUNCTION(number, name, arguments) int64_t sys_##name(const struct regs *regs);
#define SYSCALL_NO_ARGUMENT(type, name, kind)
SYSCALLS(SYSCALL_FUNCTION, SYSCALL_NO_ARGUMENT)
#undef SYSCALL_FUNCTION
#undef SYSCALL_NO_ARGUMENT

/* The table, as members of struct pitot_kernel. */
extern const struct pitot_call syscall_table[];
extern const unsigned syscall_count;

/*
 * Makes the system call and stores its result in ax, for syscall_entry. Contains the tracepoints'
 * sites.
 */
void syscall_dispatch(struct regs *regs);
