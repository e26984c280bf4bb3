/* SPDX-License-Identifier: BSD-2-Clause */
/* System calls with a timeout: nanosleep, poll. Task context of the program's thread. */
#include <linux/errno.h>
#include <linux/poll.h>
#include <linux/time_types.h>
#include <stdbool.h>

#include "arch/memory.h"
#include "kernel/memory/pages.h"
#include "kernel/syscall/syscalls.h"
#include "kernel/user/process.h"

#define NS_IN_MS     1000000ull
#define NS_IN_SECOND 1000000000ull
#define SECONDS_MOST (1ll << 32)

/* Returns the time (arch_clock_ns) `nanoseconds` from now, at most UINT64_MAX - 1. */
static uint64_t deadline(uint64_t nanoseconds)
{
    uint64_t now = arch_clock_ns();

    return nanoseconds < UINT64_MAX - 1 - now ? now + nanoseconds : UINT64_MAX - 1;
}

/* Never stores the remaining time: only a kill ends the sleep early. */
int64_t sys_nanosleep(const struct regs *regs)
{
    struct __kernel_timespec time;
    int error = user_get(regs->di, &time, sizeof(time));

    if (!error)
        error = user_can_put(regs->si, sizeof(time));
    if (error)
        return error;
    if (time.tv_sec < 0 || time.tv_nsec < 0 || time.tv_nsec >= (long long)NS_IN_SECOND)
        return -EINVAL;
    if (time.tv_sec > SECONDS_MOST)
        time.tv_sec = SECONDS_MOST;
    return process_sleep(deadline((uint64_t)time.tv_sec * NS_IN_SECOND + (uint64_t)time.tv_nsec),
                         NULL, NULL)
               ? 0
               : -EINTR;
}

/* Files and the console never block, and the standard input is always at its end. */
static short ready(const struct process *process, const struct pollfd *wish)
{
    if (wish->fd < 0)
        return 0;
    if (wish->fd >= PROCESS_FILES || process->file[wish->fd] == PROCESS_FILE_NONE)
        return POLLNVAL;
    return wish->events & (POLLIN | POLLOUT);
}

static int64_t poll_all(struct pollfd *wishes, size_t count, int milliseconds)
{
    int64_t found = 0;

    for (size_t i = 0; i < count; i++) {
        wishes[i].revents = ready(process_current(), &wishes[i]);
        found += wishes[i].revents != 0;
    }
    if (found > 0 || milliseconds == 0)
        return found;
    return process_sleep(milliseconds < 0 ? UINT64_MAX
                                          : deadline((uint64_t)milliseconds * NS_IN_MS),
                         NULL, NULL)
               ? 0
               : -EINTR;
}

/* Copies the list into a page and back, as Linux does. */
int64_t sys_poll(const struct regs *regs)
{
    const size_t count = (uint32_t)regs->si, size = count * sizeof(struct pollfd);
    struct pollfd *wishes;
    int64_t found;

    if (size > PAGE_SIZE)
        return -EINVAL;
    wishes = pages_alloc(0);
    if (!wishes)
        return -ENOMEM;
    found = user_get(regs->di, wishes, size);
    if (found == 0)
        found = poll_all(wishes, count, (int)regs->dx);
    if (found >= 0 && user_put(regs->di, wishes, size))
        found = -EFAULT;
    pages_free(wishes, 0);
    return found;
}
