/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The scheduler: one run queue a CPU, round robin, a slice of one tick (docs/kernel.md). A switch
 * happens with interrupts off and the CPU's lock held; the lock is acquired by the thread that
 * leaves and released by the one that arrives, so that no other CPU can run a thread that still
 * stands on its stack.
 */
#include "kernel/sched/scheduler.h"

#include "arch/smp.h"
#include "core/breakpoint/breakpoint.h"
#include "core/event/follow.h"
#include "core/lib/assert.h"
#include "kernel/sched/run_queue.h"
#include "kernel/sched/sched_trace.h"
#include "kernel/sched/thread_end.h"

#define SLICE_TICKS 1

/* One a CPU; the lock covers all of it, and interrupts are off while it is held. */
static struct scheduler {
    struct spinlock lock;
    struct run_queue queue;
    unsigned busy;          /* threads that run or could; read without the lock to choose a CPU */
    struct thread *current; /* stored by its CPU alone; read there in any context */
    struct thread *idle;    /* constant; never in the queue */
    struct thread *left;    /* by the last switch, until the arriving one has looked at it */
    uint64_t since_ns;      /* when `current` got the CPU, or was last charged for it */
    unsigned slice;         /* ticks that are left to it */
} schedulers[ARCH_CPUS_MAX];

static struct scheduler *scheduler_here(void)
{
    return &schedulers[arch_cpu_id()];
}

ARCH_HIT_TEXT struct thread *thread_current(void)
{
    return scheduler_here()->current;
}

uint64_t scheduler_turn_ns(const struct thread *thread)
{
    const struct scheduler *there = &schedulers[thread->cpu];

    int64_t turn = (int64_t)(arch_clock_ns() - there->since_ns); /* there by its own clock */

    return there->current == thread && turn > 0 ? (uint64_t)turn : 0;
}

/* This one where others are not less busy. */
unsigned scheduler_idlest_cpu(void)
{
    unsigned idlest = arch_cpu_id();

    for (unsigned cpu = 0; cpu < arch_cpus(); cpu++)
        if (arch_cpu_runs(cpu) && schedulers[cpu].busy < schedulers[idlest].busy)
            idlest = cpu;
    return idlest;
}

ARCH_HIT_TEXT const struct thread *scheduler_current(unsigned cpu)
{
    return schedulers[cpu].current;
}

ARCH_HIT_TEXT const struct thread *scheduler_left(void)
{
    return scheduler_here()->left;
}

/* The current thread for its time since the last time. Interrupts off. */
static void scheduler_charge(struct scheduler *here)
{
    struct thread *thread = here->current;
    uint64_t now = arch_clock_ns();
    uint64_t runtime = now - here->since_ns;

    thread->ran_ns += runtime;
    here->since_ns = now;
    if (thread != here->idle)
        TRACE(sched_stat_runtime, thread->name, (int32_t)thread->pid, runtime);
}

/*
 * On the arriving thread's stack: lets go of what the leaving one took, and if that one has ended,
 * nothing stands on its stack any more.
 */
static void scheduler_arrive(void)
{
    struct scheduler *here = scheduler_here();
    struct thread *gone = here->left->state == THREAD_ENDING ? here->left : NULL;

    TRACE(lock_acquire, &here->lock, here->lock.name);
    TRACE(lock_acquired, &here->lock, here->lock.name);
    spinlock_release(&here->lock);
    if (gone)
        thread_ended(gone);
}

static int64_t scheduler_state_told(enum thread_state state)
{
    if (state == THREAD_SLEEPING)
        return TRACEPOINT_STATE_SLEEPING;
    return state == THREAD_ENDING ? TRACEPOINT_STATE_ENDED : TRACEPOINT_STATE_RUNNABLE;
}

/*
 * Switches from the current thread, whose new state is set, to the next one. Called with interrupts
 * off and the CPU's lock, and no other, held: a thread that sleeps with a spinlock may never get to
 * release it.
 */
static void scheduler_switch(struct scheduler *here)
{
    struct thread *from = here->current, *to = run_queue_take(&here->queue);

    assert(preempt_count() == 1);
    assert(arch_may_switch());
    if (!to)
        to = here->idle;
    preemption[arch_cpu_id()].wanted = false;
    here->slice = SLICE_TICKS;
    here->left = from;
    scheduler_charge(here);
    to->state = THREAD_RUNNING;
    TRACE(lock_release, &here->lock, here->lock.name);
    if (to != from) {
        TRACE(sched_switch, from->name, (int32_t)from->pid, scheduler_state_told(from->state),
              to->name, (int32_t)to->pid);
        to->switches++;
        here->current = to;
        task_set_ids(to->pid);
        task_follow(arch_cpu_id(), to->follow == THREAD_FOLLOWED, here->since_ns);
        breakpoint_switch();
        arch_space_enter(to->space, to->stack);
        arch_switch(&from->sp, to->sp);
    }
    scheduler_arrive();
}

void scheduler_sleep(struct spinlock *lock)
{
    struct scheduler *here = scheduler_here();

    assert(here->current != here->idle);
    spinlock_acquire(&here->lock);
    here->current->state = THREAD_SLEEPING;
    here->busy--;
    spinlock_release(lock);
    scheduler_switch(here);
}

/* The idle thread does not wait for the end of its slice; on another CPU it halts. */
void scheduler_wake(struct thread *thread)
{
    uint64_t flags = arch_irq_save();
    struct scheduler *there = &schedulers[thread->cpu];
    bool idles;

    spinlock_acquire(&there->lock);
    thread->state = THREAD_RUNNABLE;
    TRACE(sched_wakeup, thread->name, (int32_t)thread->pid, (int32_t)thread->cpu);
    run_queue_put(&there->queue, thread);
    there->busy++;
    idles = there->current == there->idle;
    if (idles)
        preemption[thread->cpu].wanted = true;
    if (idles && thread->cpu != arch_cpu_id())
        arch_cpu_poke(thread->cpu);
    spinlock_release_irq(&there->lock, flags);
}

void scheduler_yield(void)
{
    uint64_t flags = arch_irq_save();
    struct scheduler *here = scheduler_here();

    spinlock_acquire(&here->lock);
    here->current->state = THREAD_RUNNABLE;
    if (here->current != here->idle)
        run_queue_put(&here->queue, here->current);
    scheduler_switch(here);
    arch_irq_restore(flags);
}

_Noreturn void scheduler_end(void)
{
    arch_irq_save();
    struct scheduler *here = scheduler_here();

    spinlock_acquire(&here->lock);
    here->current->state = THREAD_ENDING;
    here->busy--;
    scheduler_switch(here);
    assert(!"a thread that has ended runs");
    __builtin_unreachable();
}

void scheduler_begin(void)
{
    scheduler_arrive();
    arch_irq_enable();
}

void scheduler_tick(void)
{
    struct scheduler *here = scheduler_here();

    scheduler_charge(here);
    if (run_queue_is_empty(&here->queue))
        return;
    if (here->slice > 0)
        here->slice--;
    if (here->slice == 0)
        preemption[arch_cpu_id()].wanted = true;
}

/*
 * What is done at an interrupt's end, interrupts still off. The interrupted thread may hold
 * spinlocks: then it resumes, and the switch happens when it releases the last.
 */
static void scheduler_interrupt_exit(void)
{
    const struct preemption *here = &preemption[arch_cpu_id()];

    if (here->wanted && here->off == 0)
        scheduler_yield();
}

/* Looks with interrupts off, as a wake-up between the look and the halt would be slept over. */
_Noreturn void scheduler_idle(void *unused)
{
    (void)unused;
    for (;;) {
        arch_irq_save();
        if (run_queue_is_empty(&scheduler_here()->queue)) {
            arch_idle();
        } else {
            arch_irq_enable();
            scheduler_yield();
        }
    }
}

void scheduler_init(unsigned cpu, struct thread *first, struct thread *idle)
{
    schedulers[cpu] = (struct scheduler){.lock.name = "scheduler",
                                         .current = first,
                                         .idle = idle,
                                         .busy = first != idle,
                                         .slice = SLICE_TICKS};
    schedulers[cpu].since_ns = arch_clock_ns();
    first->state = THREAD_RUNNING;
    task_ids[cpu] = task_ids_of(first->pid);
    preempt_set_switch(scheduler_yield);
    arch_set_interrupt_exit(scheduler_interrupt_exit);
}
