/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Kernel threads: made, named, ended, awaited. docs/kernel.md has the design. Task context with
 * interrupts on, unless said otherwise.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/space.h"
#include "arch/thread.h"
#include "arch/unwind.h"
#include "arch/user_step.h"
#include "core/host.h"
#include "core/lib/refusal.h"

/* The boot thread has a stack of its own; every other thread has its slot's. */
#define THREADS_MAX (ARCH_THREAD_STACKS + 1)

enum thread_state {
    THREAD_FREE,     /* the slot is free */
    THREAD_MAKING,   /* taken, but not yet to be seen */
    THREAD_RUNNABLE, /* waits for its CPU */
    THREAD_RUNNING,
    THREAD_SLEEPING, /* waits in a wait queue */
    THREAD_ENDING,   /* has called thread_exit, and still stands on its stack */
    THREAD_ENDED,    /* waits for thread_join */
};

/* Whether a recording of a workload takes this thread's hits. */
enum thread_follow {
    THREAD_NOT_FOLLOWED,
    THREAD_FOLLOWED_FROM_EXEC, /* from a program's first instruction on */
    THREAD_FOLLOWED,
};

struct wait_queue;
struct process;
struct arch_space;

struct thread {
    uint32_t pid; /* constant from THREAD_RUNNABLE to THREAD_FREE, as are cpu and stack */
    uint32_t cpu; /* a thread stays on the CPU that it was made for */
    const struct arch_stack *stack;
    void (*function)(void *data);
    void *data;

    /* The lock of its CPU's scheduler covers these. */
    enum thread_state state; /* THREAD_ENDED and THREAD_FREE: stored without, by its last owner */
    struct thread *next;     /* in the run queue or, covered by that one's lock, a wait queue */
    uintptr_t sp;            /* while it does not run: what arch_switch left */
    uint64_t ran_ns;         /* CPU time up to the last switch */
    uint64_t switches;       /* how often it was switched to */

    /* A program's thread: set before it first runs, and to NULL by itself at its end. */
    struct process *process;        /* kernel/user/process.h; NULL: one of the kernel's own */
    const struct arch_space *space; /* where the CPU is while it runs; NULL: the kernel's alone */

    struct arch_user_step step;        /* kernel/user/process_steps.c's; on its CPU alone */
    bool stopped;                      /* as its program (kernel/user/signals.h); its own alone, */
    enum thread_follow follow;         /* ... as this; its own alone; its maker's at first */
    const struct wait_queue *waits_on; /* while it sleeps; covered by that queue's lock */
    unsigned kernel_lock_depth;        /* its own alone: kernel/lock/kernel_lock.c */
    char name[TASK_NAME_SIZE];         /* its own alone, but read by anyone */
};

/*
 * Makes a thread that calls function(data) and then ends, runnable on the CPU that has the least to
 * do, or on that one. NULL and the reason when all slots are taken or there is no memory. A
 * thread must be joined.
 */
struct thread *thread_create(const char *name, void (*function)(void *data), void *data,
                             struct refusal *why);
struct thread *thread_create_on(unsigned cpu, const char *name, void (*function)(void *data),
                                void *data, struct refusal *why);

/* Waits until the thread has ended, and gives its slot back. One call for each thread. */
void thread_join(struct thread *thread);

/* Ends the thread that calls. */
_Noreturn void thread_exit(void);

/* The thread that runs on this CPU. Any context. */
struct thread *thread_current(void);

/* Lets the others have a turn. */
void thread_yield(void);

/*
 * The current thread, and those that it makes from here on, are a recorded workload's.
 * thread_follow_exec is for one that is about to execute a program's first instruction.
 */
void thread_follow(enum thread_follow follow);
void thread_follow_exec(void);

/* No thread is any more, jobs that the workload has left included. All CPUs parked. */
void thread_follow_end(void);

/* At least so long; the timer tick is the grain. */
void thread_sleep_ns(uint64_t nanoseconds);

/* The index-th slot's thread, NULL where it is free or past the end; the pid's. Any context: what
 * is found may end unless preemption is off. */
struct thread *thread_at(unsigned index);
struct thread *thread_find(uint32_t pid);

/* CPU time, that of this turn included. */
uint64_t thread_ran_ns(const struct thread *thread);

/* The most bytes of its stack that were ever in use, told by what has been overwritten. */
size_t thread_stack_used(const struct thread *thread);

void thread_set_name(struct thread *thread, const char *name);

/* Makes the running context the boot thread, and this CPU's idle thread. Once, interrupts off. */
void thread_init(void);

/* The idle thread of a CPU that is to be started; NULL: no room. Boot. */
struct thread *thread_make_idle(unsigned cpu);
