/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The thread table: slots, pids, names, creation, sleep and exit. A slot's memory is never freed,
 * so a reader of a thread that has exited sees stale data, not foreign data.
 */
#include "kernel/sched/thread.h"

#include <linux/errno.h>

#include "core/lib/assert.h"
#include "core/lib/print.h"
#include "core/lib/string.h"
#include "core/pitot.h"
#include "kernel/sched/scheduler.h"
#include "kernel/sched/wait_queue.h"
#include "kernel/time/timer.h"

PITOT_TRACEPOINT(sched, sched_process_fork, 4, PITOT_FIELD(text, parent_comm, "comm=%s"),
                 PITOT_FIELD(s32, parent_pid, " pid=%d"),
                 PITOT_FIELD(text, child_comm, " child_comm=%s"),
                 PITOT_FIELD(s32, child_pid, " child_pid=%d"));
PITOT_TRACEPOINT(sched, sched_process_exit, 2, PITOT_FIELD(text, comm, "comm=%s"),
                 PITOT_FIELD(s32, pid, " pid=%d"));

#define STACK_FILL  0xa5a5a5a5a5a5a5a5ull /* marks stack that was never written */
#define BOOT_MARGIN 1024                  /* boot stack used by the callees of thread_init */
#define PID_MOST    0x7fffffffu           /* perf stores a pid in an int */

static struct thread threads[THREADS_MAX]; /* threads[0] is the boot thread */

/* Covers the allocation of slots and the next pid. */
static struct spinlock slots = {.name = "threads"};
static uint32_t next_pid = THREAD_PID;

static struct wait_queue ends = WAIT_QUEUE("thread_end");

static bool pid_is_used(uint32_t pid)
{
    for (unsigned i = 0; i < THREADS_MAX; i++)
        if (threads[i].state != THREAD_FREE && threads[i].pid == pid)
            return true;
    return false;
}

/*
 * pid 0 belongs to the idle threads, so numbering begins with the boot thread. Called under
 * `slots`.
 */
static uint32_t take_pid(void)
{
    uint32_t pid;

    do {
        pid = next_pid;
        next_pid = pid == PID_MOST ? THREAD_PID : pid + 1;
    } while (pid_is_used(pid));
    return pid;
}

static struct thread *claim_slot(unsigned cpu)
{
    struct thread *thread = NULL;
    uint64_t flags = spinlock_acquire_irq(&slots);

    for (unsigned i = 1; i < THREADS_MAX && !thread; i++)
        if (__atomic_load_n(&threads[i].state, __ATOMIC_ACQUIRE) == THREAD_FREE)
            thread = &threads[i];
    if (thread) {
        *thread = (struct thread){.state = THREAD_MAKING, .cpu = cpu};
        thread->pid = take_pid();
    }
    spinlock_release_irq(&slots, flags);
    return thread;
}

/* The caller must be the last user of the thread: the slot may be reused at once. */
static void free_slot(struct thread *thread)
{
    __atomic_store_n(&thread->state, THREAD_FREE, __ATOMIC_RELEASE);
}

/* Entry point of every thread but the boot thread, on its own stack. */
static void thread_main(void)
{
    struct thread *thread;

    scheduler_begin();
    thread = thread_current();
    thread->function(thread->data);
    thread_exit();
}

static void fill_stack(uintptr_t low, uintptr_t end)
{
    for (uintptr_t at = low; at < end; at += sizeof(uint64_t))
        *(volatile uint64_t *)at = STACK_FILL;
}

/*
 * Sets up name, stack and first frame; the thread does not run yet. Returns false if there is no
 * memory.
 */
static bool prepare(struct thread *thread, const char *name, void (*function)(void *), void *data)
{
    thread->function = function;
    thread->data = data;
    thread->stack = arch_thread_stack((unsigned)(thread - threads) - 1, thread->name);
    if (!thread->stack)
        return false;
    fill_stack(thread->stack->low, thread->stack->high);
    thread->sp = arch_thread_prepare(thread->stack, thread_main);
    thread_set_name(thread, name);
    return true;
}

struct thread *thread_create_on(unsigned cpu, const char *name, void (*function)(void *data),
                                void *data, struct refusal *why)
{
    struct thread *thread = claim_slot(cpu);

    if (!thread) {
        refuse(why, EAGAIN, "no room for the thread %s: at most %u can exist", name,
               (unsigned)THREADS_MAX);
        return NULL;
    }
    thread->follow = thread_current()->follow;
    if (!prepare(thread, name, function, data)) {
        free_slot(thread);
        refuse(why, ENOMEM, "no memory for the stack of the thread %s", name);
        return NULL;
    }
    PITOT_TRACE(sched_process_fork, thread_current()->name, thread_current()->pid, thread->name,
                thread->pid);
    scheduler_wake(thread);
    return thread;
}

struct thread *thread_create(const char *name, void (*function)(void *data), void *data,
                             struct refusal *why)
{
    return thread_create_on(scheduler_idlest_cpu(), name, function, data, why);
}

/* A kernel lock still held here would never be released. */
_Noreturn void thread_exit(void)
{
    assert(thread_current()->kernel_lock_depth == 0);
    assert(thread_current() != &threads[0]);
    PITOT_TRACE(sched_process_exit, thread_current()->name, thread_current()->pid);
    scheduler_end();
}

void thread_ended(struct thread *thread)
{
    uint64_t flags = wait_queue_lock(&ends);

    thread->state = THREAD_ENDED;
    wait_queue_wake_all_locked(&ends);
    wait_queue_unlock(&ends, flags);
}

void thread_join(struct thread *thread)
{
    uint64_t flags = wait_queue_lock(&ends);

    while (thread->state != THREAD_ENDED)
        flags = wait_queue_sleep(&ends, flags);
    wait_queue_unlock(&ends, flags);
    free_slot(thread);
}

void thread_yield(void)
{
    scheduler_yield();
}

void thread_follow(enum thread_follow follow)
{
    uint64_t flags = arch_irq_save();

    thread_current()->follow = follow;
    pitot_follow(arch_cpu_id(), follow == THREAD_FOLLOWED, arch_clock_ns());
    arch_irq_restore(flags);
}

void thread_follow_end(void)
{
    for (unsigned i = 0; i < THREADS_MAX; i++)
        threads[i].follow = THREAD_NOT_FOLLOWED;
    for (unsigned cpu = 0; cpu < arch_cpus(); cpu++)
        pitot_follow(cpu, false, arch_clock_ns());
}

void thread_follow_exec(void)
{
    if (thread_current()->follow == THREAD_FOLLOWED_FROM_EXEC)
        thread_follow(THREAD_FOLLOWED);
}

static bool is_visible(const struct thread *thread)
{
    return thread->state != THREAD_FREE && thread->state != THREAD_MAKING;
}

struct thread *thread_at(unsigned index)
{
    return index < THREADS_MAX && is_visible(&threads[index]) ? &threads[index] : NULL;
}

struct thread *thread_find(uint32_t pid)
{
    for (unsigned i = 0; i < THREADS_MAX; i++)
        if (is_visible(&threads[i]) && threads[i].pid == pid)
            return &threads[i];
    return NULL;
}

uint64_t thread_ran_ns(const struct thread *thread)
{
    return thread->ran_ns + scheduler_turn_ns(thread);
}

size_t thread_stack_used(const struct thread *thread)
{
    uintptr_t at = thread->stack->low;

    while (at < thread->stack->high && *(const volatile uint64_t *)at == STACK_FILL)
        at += sizeof(uint64_t);
    return thread->stack->high - at;
}

void thread_set_name(struct thread *thread, const char *name)
{
    preempt_off();
    print_into(thread->name, sizeof(thread->name), "%s", name);
    pitot_thread_named(thread->pid, thread->name);
    preempt_on();
}

/* An idle thread is never woken: it runs when no other thread can. Only idle threads have pid 0. */
struct thread *thread_make_idle(unsigned cpu)
{
    struct thread *idle = claim_slot(cpu);
    char name[PITOT_NAME_SIZE];

    print_into(name, sizeof(name), "idle/%u", cpu);
    if (!idle || !prepare(idle, name, scheduler_idle, NULL))
        return NULL;
    idle->pid = 0;
    idle->state = THREAD_RUNNABLE;
    return idle;
}

void thread_init(void)
{
    struct thread *boot = &threads[0], *idle;

    *boot = (struct thread){.state = THREAD_RUNNING, .pid = take_pid(), .name = "pitot"};
    boot->stack = arch_stack_find((uintptr_t)&boot);
    fill_stack(boot->stack->low, (uintptr_t)&boot - BOOT_MARGIN);
    idle = thread_make_idle(0);
    assert(idle);
    scheduler_init(0, boot, idle);
    next_pid = THREAD_PID + 1;
}

/* --- Sleeping until a timer wakes the thread. --- */

struct sleeper {
    struct wait_queue queue;
    bool over; /* under the queue's lock */
};

/* Interrupt context. */
static void sleep_is_over(void *data)
{
    struct sleeper *sleeper = data;
    uint64_t flags = wait_queue_lock(&sleeper->queue);

    sleeper->over = true;
    wait_queue_wake_one_locked(&sleeper->queue);
    wait_queue_unlock(&sleeper->queue, flags);
}

void thread_sleep_ns(uint64_t nanoseconds)
{
    struct sleeper sleeper = {.queue = WAIT_QUEUE("time")};
    struct timer timer = {.function = sleep_is_over, .data = &sleeper};
    uint64_t flags;

    timer_start(&timer, nanoseconds, 0);
    flags = wait_queue_lock(&sleeper.queue);
    while (!sleeper.over)
        flags = wait_queue_sleep(&sleeper.queue, flags);
    wait_queue_unlock(&sleeper.queue, flags);
    timer_cancel(&timer); /* sleep_is_over may still be using our stack */
}
