/* SPDX-License-Identifier: BSD-2-Clause */
/* Kernel threads (docs/kernel.md). Task context, interrupts on, unless stated otherwise. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/unwind.h"
#include "core/lib/refusal.h"
#include "core/pitot.h"
#include "kernel/x86_64/thread.h"
#include "kernel/x86_64/user.h"

/* The boot thread has its own stack; every other thread uses its slot's stack. */
#define THREADS_MAX (ARCH_THREAD_STACKS + 1)

#define THREAD_PID 1u /* of the thread that runs the console's commands */

enum thread_state {
    THREAD_FREE,     /* the slot is free */
    THREAD_MAKING,   /* taken, but not visible yet */
    THREAD_RUNNABLE, /* waits for its CPU */
    THREAD_RUNNING,
    THREAD_SLEEPING, /* waits in a wait queue */
    THREAD_ENDING,   /* has called thread_exit, and still uses its stack */
    THREAD_ENDED,    /* waits for thread_join */
};

/* Whether the recording of a workload includes this thread's hits. */
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
    uint32_t cpu; /* a thread stays on the CPU for which it was created */
    const struct arch_stack *stack;
    void (*function)(void *data);
    void *data;

    /* Covered by the lock of its CPU's scheduler. */
    enum thread_state state; /* THREAD_ENDED, THREAD_FREE: stored without the lock */
    struct thread *next;     /* in the run queue, or in a wait queue under that queue's lock */
    uintptr_t sp;            /* saved by arch_switch; valid while the thread does not run */
    uint64_t ran_ns;         /* CPU time up to the last charge */
    uint64_t switches;       /* number of switches to the thread */

    /*
     * For a program's thread: set before the program's first instruction, and cleared by the thread
     * when it exits.
     */
    struct process *process;        /* kernel/user/process.h; NULL: a kernel thread */
    const struct arch_space *space; /* loaded while it runs; NULL: only the kernel's */

    struct pitot_step step; /* of its program; used by Pitot, on its CPU */

    /* Stored by the thread itself. */
    bool stopped;              /* its program is stopped (kernel/user/signals.c) */
    enum thread_follow follow; /* inherited from its creator; reset by thread_follow_end */

    const struct wait_queue *waits_on; /* set while it sleeps; covered by that queue's lock */
    unsigned kernel_lock_depth;        /* used only by the thread itself, in kernel_lock.c */
    char name[PITOT_NAME_SIZE];        /* stored only by the thread itself; any code may read it */
};

/*
 * Creates a thread that calls function(data) and then exits, on the least busy CPU or on `cpu`.
 * Returns NULL and the reason if there is no free slot or no memory. Every thread must be joined.
 */
struct thread *thread_create(const char *name, void (*function)(void *data), void *data,
                             struct refusal *why);
struct thread *thread_create_on(unsigned cpu, const char *name, void (*function)(void *data),
                                void *data, struct refusal *why);

/* Waits until the thread has exited, and frees its slot. Called exactly once per thread. */
void thread_join(struct thread *thread);

_Noreturn void thread_exit(void);

/* The thread running on this CPU. Any context. */
struct thread *thread_current(void);

void thread_yield(void);

/*
 * Sets whether the current thread and those it creates later are followed as a recorded workload.
 * thread_follow_exec is called before a program's first instruction.
 */
void thread_follow(enum thread_follow follow);
void thread_follow_exec(void);

/* Stops following all threads, including jobs that the workload left running. All CPUs parked. */
void thread_follow_end(void);

/* Sleeps for at least this long; the resolution is a timer tick. */
void thread_sleep_ns(uint64_t nanoseconds);

/*
 * Return the thread in a slot, or with a pid; NULL if there is none. Any context. The thread may
 * exit while preemption is on.
 */
struct thread *thread_at(unsigned index);
struct thread *thread_find(uint32_t pid);

/* Reports the numbers of threads to TAB, by pitot_word. Task context (thread_commands.c). */
void thread_words(bool (*takes)(const struct thread *thread));

/* Returns the CPU time in ns, including that of the current run. */
uint64_t thread_ran_ns(const struct thread *thread);

/* Returns the peak stack use in bytes, found by how much of the fill pattern is overwritten. */
size_t thread_stack_used(const struct thread *thread);

void thread_set_name(struct thread *thread, const char *name);

/*
 * Makes the running context the boot thread; creates CPU 0's idle thread. Called once, interrupts
 * off.
 */
void thread_init(void);

/*
 * Creates the idle thread of a CPU that is about to be started; returns NULL if there is no room.
 * Boot.
 */
struct thread *thread_make_idle(unsigned cpu);

/*
 * A FIFO of threads. Its owner's lock covers the queue and the `next` of the threads in it. All
 * zero is an empty queue.
 */
struct run_queue {
    struct thread *first, *last;
};

static inline bool run_queue_is_empty(const struct run_queue *queue)
{
    return queue->first == NULL;
}

static inline void run_queue_put(struct run_queue *queue, struct thread *thread)
{
    thread->next = NULL;
    if (queue->first)
        queue->last->next = thread;
    else
        queue->first = thread;
    queue->last = thread;
}

/* Removes and returns the first thread; NULL if there is none. */
static inline struct thread *run_queue_take(struct run_queue *queue)
{
    struct thread *thread = queue->first;

    if (thread)
        queue->first = thread->next;
    return thread;
}
