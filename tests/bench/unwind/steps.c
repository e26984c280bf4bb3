/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Instructions that an unwind executes, counted one by one in a single-stepped child of this
 * process (ptrace). Exact, and the same on every machine with the same libraries. A string
 * instruction counts once, however often it repeats; the kernel's own instructions are not counted.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/bench/unwind/measure.h"

#define ADDRESSES_MOST (CHAIN_FRAMES + 16)
#define WARM_UP        3 /* fills the caches that a method keeps */

/* Counting begins with a trap, and ends when count_end is called. */
__attribute__((noinline)) static void count_begin(void)
{
    __asm__ volatile("int3" ::: "memory");
}

__attribute__((noinline)) static void count_end(void)
{
    __asm__ volatile("" ::: "memory");
}

static void step_work(struct chain *chain, const struct regs *regs)
{
    const struct method *method = chain->context;
    uint64_t addresses[ADDRESSES_MOST];

    for (unsigned i = 0; i < WARM_UP; i++)
        method->capture(regs, addresses, ADDRESSES_MOST);
    count_begin();
    method->capture(regs, addresses, ADDRESSES_MOST);
    count_end();
}

static _Noreturn void run_child(const struct method *method, unsigned depth)
{
    struct chain chain = {.work = step_work, .context = (void *)method};

    if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) == 0)
        method->run(&chain, depth);
    _exit(1);
}

/* True if a trap has stopped the child. */
static bool wait_trap(pid_t child)
{
    int status;

    return waitpid(child, &status, 0) == child && WIFSTOPPED(status) && WSTOPSIG(status) == SIGTRAP;
}

static uintptr_t child_ip(pid_t child)
{
    return (uintptr_t)ptrace(PTRACE_PEEKUSER, child, offsetof(struct user, regs.rip), NULL);
}

static uint64_t count_steps(pid_t child)
{
    uintptr_t ip = 0, next;
    uint64_t count = 0;

    if (!wait_trap(child))
        return 0;
    while ((next = child_ip(child)) != (uintptr_t)count_end) {
        count += next != ip;
        ip = next;
        if (ptrace(PTRACE_SINGLESTEP, child, NULL, NULL) || !wait_trap(child))
            return 0;
    }
    return count;
}

uint64_t steps_count(const struct method *method, unsigned depth)
{
    pid_t child = fork();
    uint64_t count;

    if (child < 0)
        return 0;
    if (child == 0)
        run_child(method, depth);
    count = count_steps(child);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    if (count == 0)
        fprintf(stderr, "%s: instructions cannot be counted: no single-stepping (ptrace) here\n",
                method->name);
    return count;
}
