/* SPDX-License-Identifier: BSD-2-Clause */
/* See syscalls.h. */
#include "core/user/syscalls.h"

#include <linux/errno.h>
#include <stddef.h>

#include "arch/arch.h"

uint64_t syscall_argument(const struct regs *regs, unsigned index)
{
    const uint64_t arguments[] = {regs->di, regs->si, regs->dx, regs->r10, regs->r8, regs->r9};

    return arguments[index];
}

static int64_t syscall_call(const struct regs *regs)
{
#define SYSCALL_CASE(number, name, arguments)                                                      \
    case number:                                                                                   \
        return sys_##name(regs);
#define SYSCALL_NO_ARGUMENT(type, name, kind)

    switch (regs->error) {
        SYSCALLS(SYSCALL_CASE, SYSCALL_NO_ARGUMENT)
    default:
        return -ENOSYS;
    }
}

void syscall_dispatch(struct regs *regs)
{
    regs->ax = (uint64_t)syscall_call(regs);
}
