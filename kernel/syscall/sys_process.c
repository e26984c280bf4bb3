/* SPDX-License-Identifier: BSD-2-Clause */
/* System calls about processes. Task context of the program's thread. */
#include <linux/errno.h>
#include <linux/wait.h>
#include <stdbool.h>

#include "core/lib/string.h"
#include "kernel/syscall/syscalls.h"
#include "kernel/user/process.h"

#define ARGUMENTS_MAX 32
#define SIGNALS       64
#define RUSAGE_SIZE   144 /* struct rusage: two times, then fourteen numbers */

int64_t sys_getpid(const struct regs *regs)
{
    (void)regs;
    return process_current()->pid;
}

/* Returns 0 if the parent is not a program. */
int64_t sys_getppid(const struct regs *regs)
{
    uint32_t parent = process_current()->parent;

    (void)regs;
    return parent == PROCESS_PARENT_NONE || parent == PROCESS_PARENT_JOB ? 0 : parent;
}

int64_t sys_sched_yield(const struct regs *regs)
{
    (void)regs;
    thread_yield();
    return 0;
}

int64_t sys_exit(const struct regs *regs)
{
    process_exit((struct process_end){.code = (uint8_t)regs->di});
}

/* The argument strings, back to back in `text`, and pointers to them. */
struct arguments {
    int count;
    char *argument[ARGUMENTS_MAX];
    char text[PROCESS_ARGUMENT];
};

static int64_t get_arguments(uintptr_t from, struct arguments *arguments)
{
    size_t used = 0;

    for (arguments->count = 0;; arguments->count++) {
        char *place = arguments->text + used;
        uint64_t address;
        int64_t length;

        if (user_get(from + 8 * (uint64_t)arguments->count, &address, sizeof(address)))
            return -EFAULT;
        if (address == 0)
            return 0;
        if (arguments->count == ARGUMENTS_MAX)
            return -E2BIG;
        length = user_get_text(address, place, sizeof(arguments->text) - used);
        if (length < 0)
            return length == -ENAMETOOLONG ? -E2BIG : length;
        arguments->argument[arguments->count] = place;
        used += (size_t)length + 1;
    }
}

int64_t sys_spawn(const struct regs *regs)
{
    char path[FS_PATH_MAX + 1];
    struct arguments arguments;
    struct process *child;
    int64_t error = user_get_text(regs->di, path, sizeof(path));

    if (error >= 0)
        error = get_arguments(regs->si, &arguments);
    if (error < 0)
        return error;
    error =
        process_spawn(path, arguments.count, arguments.argument, process_current(), &child, NULL);
    return error ? error : (int64_t)child->pid;
}

static bool has_ended(void *data)
{
    return process_find_ended(process_current(), *(const int64_t *)data) != 0;
}

int64_t sys_wait4(const struct regs *regs)
{
    static const uint8_t no_usage[RUSAGE_SIZE];
    int64_t wanted = (int32_t)regs->di, found;
    struct process_end end;
    int status; /* the exit code in the second byte, or the signal in the first */

    if (regs->dx & ~(uint64_t)WNOHANG || wanted == 0 || wanted < -1)
        return -EINVAL;
    if (user_can_put(regs->si, sizeof(status)) || user_can_put(regs->r10, sizeof(no_usage)))
        return -EFAULT;
    if (!(regs->dx & WNOHANG) && !process_sleep(UINT64_MAX, has_ended, &wanted))
        return -EINTR;
    found = process_find_ended(process_current(), wanted);
    if (found <= 0)
        return found;
    end = process_collect((uint32_t)found);
    status = end.signal ? end.signal : end.code << 8;
    if (regs->si)
        user_put(regs->si, &status, sizeof(status));
    if (regs->r10)
        user_put(regs->r10, no_usage, sizeof(no_usage));
    return found;
}

int64_t sys_kill(const struct regs *regs)
{
    if (regs->si >= SIGNALS)
        return -EINVAL;
    return process_kill_pid((uint32_t)regs->di, (uint8_t)regs->si);
}
