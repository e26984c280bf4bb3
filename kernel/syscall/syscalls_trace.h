/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The tracepoints of system calls: raw_syscalls:sys_enter and sys_exit for all,
 * syscalls:sys_enter_NAME and sys_exit_NAME for each. A sample's call chain begins at the
 * tracepoint's site, before or after the call, and continues to the program's `syscall`. Hits run
 * in the calling thread.
 */
#pragma once

#include "arch/regs.h"
#include "core/pitot.h"
#include "kernel/syscall/syscall_table.h"

PITOT_CALLS_DECLARE;

#define SYSCALL_TRACEPOINTS(number, call_name, arguments)                                          \
    extern struct pitot_tracepoint pitot_tracepoint_sys_enter_##call_name;                         \
    extern struct pitot_tracepoint pitot_tracepoint_sys_exit_##call_name;
#define SYSCALL_NO_ARGUMENT(type, name, kind)
SYSCALLS(SYSCALL_TRACEPOINTS, SYSCALL_NO_ARGUMENT)
#undef SYSCALL_TRACEPOINTS
#undef SYSCALL_NO_ARGUMENT

/*
 * Called with the program's registers if PITOT_ON is true. Inline, so that samples begin in the
 * function that contains the site.
 */
__attribute__((always_inline)) static inline void
syscall_trace_enter(struct pitot_tracepoint *tracepoint, const struct regs *regs)
{
    unsigned long argument[] = {regs->error, regs->di, regs->si, regs->dx,
                                regs->r10,   regs->r8, regs->r9};

    pitot_raise_memory(tracepoint, argument, NULL);
}

__attribute__((always_inline)) static inline void
syscall_trace_exit(struct pitot_tracepoint *tracepoint, const struct regs *regs, int64_t result)
{
    unsigned long argument[] = {regs->error, (unsigned long)result};

    pitot_raise_memory(tracepoint, argument, NULL);
}
