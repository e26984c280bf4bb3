/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The tracepoints of system calls: raw_syscalls:sys_enter and sys_exit for all,
 * syscalls:sys_enter_NAME and sys_exit_NAME for each. A sample's call chain begins at the
 * tracepoint's site, before or after the call, and continues to the program's `syscall`. Hits run
 * in the calling thread.
 */
#pragma once

#include "core/abi/syscalls.h"
#include "core/script/raw_syscalls.h"
#include "core/tracepoint/define.h"

TRACEPOINT_DECLARE_AT(raw_syscalls, sys_enter, RAW_SYS_ENTER_FIELDS);
TRACEPOINT_DECLARE_AT(raw_syscalls, sys_exit, RAW_SYS_EXIT_FIELDS);

#define SYSCALL_TRACEPOINTS(number, call_name, arguments)                                          \
    extern struct tracepoint tracepoint_syscalls_sys_enter_##call_name;                            \
    extern struct tracepoint tracepoint_syscalls_sys_exit_##call_name;
#define SYSCALL_NO_ARGUMENT(type, name, kind)
SYSCALLS(SYSCALL_TRACEPOINTS, SYSCALL_NO_ARGUMENT)
#undef SYSCALL_TRACEPOINTS
#undef SYSCALL_NO_ARGUMENT

/*
 * Called with the program's registers if TRACE_ON is true. Inline, so that samples begin in the
 * function that contains the site. If a probe needs the path, the path is read into the words after
 * the arguments.
 */
#define SYSCALL_ARGUMENTS_MAX 6
#define SYSCALL_PATH_WORDS    4 /* for the path, split into two fields, with one NUL */

__attribute__((always_inline)) static inline void syscall_trace_raw_enter(const struct regs *regs)
{
    uint64_t argument[RAW_SYS_ENTER_COUNT + SYSCALL_PATH_WORDS];

    argument[0] = regs->error;
    argument[1] = regs->di;
    argument[2] = regs->si;
    argument[3] = regs->dx;
    argument[4] = regs->r10;
    argument[5] = regs->r8;
    argument[6] = regs->r9;

    tracepoint_raise(&tracepoint_raw_syscalls_sys_enter, argument, NULL);
}

__attribute__((always_inline)) static inline void syscall_trace_enter(struct tracepoint *tracepoint,
                                                                      const struct regs *regs)
{
    uint64_t argument[] = {regs->error, regs->di, regs->si, regs->dx,
                           regs->r10,   regs->r8, regs->r9};

    tracepoint_raise(tracepoint, argument, NULL);
}

__attribute__((always_inline)) static inline void
syscall_trace_exit(struct tracepoint *tracepoint, const struct regs *regs, int64_t result)
{
    uint64_t argument[] = {regs->error, (uint64_t)result};

    tracepoint_raise(tracepoint, argument, NULL);
}

/* Lays out the records. Boot, before any probe is attached. */
void syscall_trace_init(void);
