/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The tracepoints of system calls, for core/user/syscalls.c, which stands in the calling program's
 * thread: raw_syscalls:sys_enter and sys_exit for all of them, and syscalls:sys_enter_NAME and
 * sys_exit_NAME for each in the table. They tell of the program: samples begin at its `syscall`.
 *
 * `path` is the text that the call's first PATH argument points to, its first 15 characters, and
 * `path_more` the next 15; of a longer one the last three are dots. Both are empty where there is
 * none.
 */
#pragma once

#include "core/abi/syscalls.h"
#include "core/perf/tracepoint.h"

#define RAW_SYS_ENTER_FIELDS(FIELD, of)                                                            \
    FIELD(of, s64, id, "NR %ld")                                                                   \
    FIELD(of, u64, arg0, " (%lx")                                                                  \
    FIELD(of, u64, arg1, ", %lx")                                                                  \
    FIELD(of, u64, arg2, ", %lx")                                                                  \
    FIELD(of, u64, arg3, ", %lx")                                                                  \
    FIELD(of, u64, arg4, ", %lx")                                                                  \
    FIELD(of, u64, arg5, ", %lx)")                                                                 \
    FIELD(of, text, path, " %s")                                                                   \
    FIELD(of, text, path_more, "%s")

#define RAW_SYS_EXIT_FIELDS(FIELD, of)                                                             \
    FIELD(of, s64, id, "NR %ld")                                                                   \
    FIELD(of, s64, ret, " = %ld")

TRACEPOINT_DECLARE_AT(raw_syscalls, sys_enter, RAW_SYS_ENTER_FIELDS);
TRACEPOINT_DECLARE_AT(raw_syscalls, sys_exit, RAW_SYS_EXIT_FIELDS);

#define SYSCALL_TRACEPOINTS(number, call_name, arguments)                                          \
    extern struct tracepoint tracepoint_syscalls_sys_enter_##call_name;                            \
    extern struct tracepoint tracepoint_syscalls_sys_exit_##call_name;
#define SYSCALL_NO_ARGUMENT(type, name, kind)
SYSCALLS(SYSCALL_TRACEPOINTS, SYSCALL_NO_ARGUMENT)
#undef SYSCALL_TRACEPOINTS
#undef SYSCALL_NO_ARGUMENT

/* Behind a TRACE_ON of the tracepoint. `regs` are the program's. */
void syscall_trace_raw_enter(const struct regs *regs);
void syscall_trace_enter(const struct tracepoint *tracepoint, const struct regs *regs);
void syscall_trace_exit(const struct tracepoint *tracepoint, const struct regs *regs,
                        int64_t result);

/* Lays the records out. Boot, before anybody listens. */
void syscall_trace_init(void);
