/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The system calls' functions and the one way to them. The table is core/abi/syscalls.h's. Task
 * context of the calling program's thread, interrupts on.
 */
#pragma once

#include <stdint.h>

#include "core/abi/syscalls.h"

struct regs;

/* Each call's function: its arguments are in the registers, its result is 0 or more, or -errno. */
#define SYSCALL_FUNCTION(number, name, arguments) int64_t sys_##name(const struct regs *regs);
#define SYSCALL_NO_ARGUMENT(type, name, kind)
SYSCALLS(SYSCALL_FUNCTION, SYSCALL_NO_ARGUMENT)
#undef SYSCALL_FUNCTION
#undef SYSCALL_NO_ARGUMENT

/*
 * From syscall_entry by way of arch_user_handlers: calls the function, puts its result into ax.
 * Task context, interrupts on. The two places of tracepoints, sys_enter and sys_exit, are in here.
 */
void syscall_dispatch(struct regs *regs);
