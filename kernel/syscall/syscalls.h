/* SPDX-License-Identifier: BSD-2-Clause */
/* The system calls of core/abi/syscalls.h. In the calling program's thread, interrupts on. */
#pragma once

#include <stdint.h>

#include "core/abi/syscalls.h"

struct regs;

/* Each function takes its arguments from the registers and returns 0 or more, or -errno. */
#define SYSCALL_FUNCTION(number, name, arguments) int64_t sys_##name(const struct regs *regs);
#define SYSCALL_NO_ARGUMENT(type, name, kind)
SYSCALLS(SYSCALL_FUNCTION, SYSCALL_NO_ARGUMENT)
#undef SYSCALL_FUNCTION
#undef SYSCALL_NO_ARGUMENT

/*
 * Makes the system call and stores its result in ax, for syscall_entry. Contains the tracepoints'
 * sites.
 */
void syscall_dispatch(struct regs *regs);
