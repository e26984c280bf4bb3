/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The functions of the system calls, and their dispatcher. The table is in core/abi/syscalls.h.
 * Task context of the calling program's thread, interrupts on.
 */
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
 * Called by syscall_entry through arch_user_handlers: calls the function and puts its result into
 * ax. Task context, interrupts on. Contains the sites of the tracepoints sys_enter and sys_exit.
 */
void syscall_dispatch(struct regs *regs);
