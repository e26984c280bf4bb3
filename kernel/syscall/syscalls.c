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
        if (PITOT_ON(sys_enter_##name))                                                            \
            syscall_trace_enter(&pitot_tracepoint_sys_enter_##name, regs);                         \
        result = sys_##name(regs);                                                                 \
        if (PITOT_ON(sys_exit_##name))                                                             \
            syscall_trace_exit(&pitot_tracepoint_sys_exit_##name, regs, result);                   \
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

    PITOT_CALL_BEGINS(regs->error, regs->di, regs->si, regs->dx, regs->r10, regs->r8, regs->r9);
    result = syscall_call(regs);
    PITOT_CALL_ENDS(regs->error, result);
    regs->ax = (uint64_t)result;
}
