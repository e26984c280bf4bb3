/* SPDX-License-Identifier: BSD-2-Clause */
/* See syscalls.h. */
#include "kernel/syscall/syscalls.h"

#include <linux/errno.h>
#include <stddef.h>

#include "arch/regs.h"
#include "kernel/syscall/syscalls_trace.h"

#define SYSCALL_NO_ARGUMENT(type, name, kind)

/* Wraps each call in its tracepoints. */
#define SYSCALL_TRACED(number, name, arguments)                                                    \
    __attribute__((always_inline)) static inline int64_t traced_##name(const struct regs *regs)    \
    {                                                                                              \
        int64_t result;                                                                            \
                                                                                                   \
        if (TRACE_ON(syscalls_sys_enter_##name))                                                   \
            syscall_trace_enter(&tracepoint_syscalls_sys_enter_##name, regs);                      \
        result = sys_##name(regs);                                                                 \
        if (TRACE_ON(syscalls_sys_exit_##name))                                                    \
            syscall_trace_exit(&tracepoint_syscalls_sys_exit_##name, regs, result);                \
        return result;                                                                             \
    }

SYSCALLS(SYSCALL_TRACED, SYSCALL_NO_ARGUMENT)

/* Inline, so that call chains show a single path from the entry to each call. */
__attribute__((always_inline)) static inline int64_t syscall_call(const struct regs *regs)
{
#define SYSCALL_CASE(number, name, arguments)                                                      \
    case number:                                                                                   \
        return traced_##name(regs);

    switch (regs->error) {
        SYSCALLS(SYSCALL_CASE, SYSCALL_NO_ARGUMENT)
    default:
        return -ENOSYS;
    }
}

void syscall_dispatch(struct regs *regs)
{
    int64_t result;

    if (TRACE_ON(raw_syscalls_sys_enter))
        syscall_trace_raw_enter(regs);
    result = syscall_call(regs);
    if (TRACE_ON(raw_syscalls_sys_exit))
        TRACE_AT(raw_syscalls_sys_exit, NULL, (int64_t)regs->error, result);
    regs->ax = (uint64_t)result;
}
