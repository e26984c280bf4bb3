/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The scheduler: one run queue per CPU, round robin, slices of one tick (docs/kernel.md). The
 * previous thread takes the CPU's scheduler lock, interrupts off, and the next thread releases it,
 * so that no CPU runs a thread whose stack is still in use.
 */
#include "kernel/sched/scheduler.h"

#include "core/lib/assert.h"
#include "core/lib/print.h"
#include "kernel/time/ticks.h"
#include "kernel/x86_64/smp.h"

/* Fields are Linux's (docs/tracepoints.md). `runtime`: CPU time since the last charge, in ns. */
#define THREAD_FIELDS PITOT_FIELD(text, comm, "comm=%s"), PITOT_FIELD(s32, pid, " pid=%d")

static int switch_tell_state(unsigned cpu, int begins, unsigned long *argument);

PITOT_TRACEPOINT_WITH(sched, sched_switch, (0, 0, 0, 0, switch_tell_state), 5,
                      PITOT_FIELD(text, prev_comm, "prev_comm=%s"),
                      PITOT_FIELD(s32, prev_pid, " prev_pid=%d"),
                      PITOT_FIELD(state, prev_state, " prev_state=%s"),
                      PITOT_FIELD(text, next_comm, " ==> next_comm=%s"),
                      PITOT_FIELD(s32, next_pid, " next_pid=%d"));
PITOT_TRACEPOINT(sched, sched_wakeup, 3, THREAD_FIELDS,
                 PITOT_FIELD(s32, target_cpu, " target_cpu=%d"));
PITOT_TRACEPOINT_WITH(sched, sched_stat_runtime,
                      (1, PITOT_INDEX(sched_stat_runtime, runtime), 0, 0, 0), 3, THREAD_FIELDS,
                      PITOT_FIELD(u64, runtime, " runtime=%lu"));

#define SLICE_TICKS 1

/* One per CPU. The lock covers all fields; interrupts are off while it is held. */
static struct scheduler {
    struct spinlock lock;
    struct run_queue queue;
    unsigned busy;          /* threads running and runnable; also read without the lock */
    struct thread *current; /* stored only by its CPU; read in any context */
    struct thread *idle;    /* constant; never in the queue */
    struct thread *left;    /* previous thread of the last switch, for the next thread to check */
    uint64_t since_ns;      /* when `current` began to run, or was last charged */
    unsigned slice;         /* ticks left in the slice of `current` */
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

    int64_t turn = (int64_t)(arch_clock_ns() - there->since_ns); /* since_ns: by that CPU's clock */

    return there->current == thread && turn > 0 ? (uint64_t)turn : 0;
}

/* Prefers this CPU unless another is less busy. */
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

/* Charges the current thread for the time since the last charge. Interrupts off. */
static void scheduler_charge(struct scheduler *here)
{
    struct thread *thread = here->current;
    uint64_t now = arch_clock_ns();
    uint64_t runtime = now - here->since_ns;

    thread->ran_ns += runtime;
    here->since_ns = now;
    if (thread != here->idle)
        PITOT_TRACE(sched_stat_runtime, thread->name, thread->pid, runtime);
}

/*
 * Runs on the next thread's stack. Releases the lock that the previous thread took, and reports
 * that thread if it has exited.
 */
static void scheduler_arrive(void)
{
    struct scheduler *here = scheduler_here();
    struct thread *gone = here->left->state == THREAD_ENDING ? here->left : NULL;

    PITOT_TRACE(lock_acquire, &here->lock, here->lock.name);
    PITOT_TRACE(lock_acquired, &here->lock, here->lock.name);
    spinlock_release(&here->lock);
    if (gone)
        thread_ended(gone);
}

static int64_t scheduler_state_told(enum thread_state state)
{
    if (state == THREAD_SLEEPING)
        return PITOT_STATE_SLEEPING;
    return state == THREAD_ENDING ? PITOT_STATE_ENDED : PITOT_STATE_RUNNABLE;
}

/*
 * A CPU that runs a thread when a recording begins or ends has a switch from or to its idle thread
 * there, so that a thread that never switches is in perf's tables. None during a switch, which may
 * have been recorded already.
 */
static int switch_tell_state(unsigned cpu, int begins, unsigned long *argument)
{
    const struct scheduler *there = &schedulers[cpu];
    const struct thread *thread = there->current;
    const struct thread *from = begins ? there->idle : thread, *to = begins ? thread : there->idle;

    if (!thread || thread == there->idle || thread->state != THREAD_RUNNING)
        return 0;
    argument[0] = (uintptr_t)from->name;
    argument[1] = from->pid;
    argument[2] = PITOT_STATE_RUNNABLE;
    argument[3] = (uintptr_t)to->name;
    argument[4] = to->pid;
    return 1;
}

/*
 * Switches to the next thread; the caller has set the state of the current one. Called with
 * interrupts off and with the CPU's scheduler lock, but no other spinlock, which a sleeping thread
 * might never release.
 */
static void scheduler_switch(struct scheduler *here)
{
    struct thread *from = here->current, *to = run_queue_take(&here->queue);

    assert(preempt_count() == 1);
    assert(arch_may_switch());
    if (!to)
        to = here->idle;
    pitot_preemption[arch_cpu_id()].wanted = false;
    here->slice = SLICE_TICKS;
    here->left = from;
    scheduler_charge(here);
    to->state = THREAD_RUNNING;
    PITOT_TRACE(lock_release, &here->lock, here->lock.name);
    if (to != from) {
        PITOT_TRACE(sched_switch, from->name, from->pid, scheduler_state_told(from->state),
                    to->name, to->pid);
        to->switches++;
        here->current = to;
        pitot_thread_runs(to->pid);
        pitot_follow(arch_cpu_id(), to->follow == THREAD_FOLLOWED, here->since_ns);
        pitot_program_runs();
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

/*
 * An idle CPU switches at once, not when the slice ends. If it is another CPU it may be halted, so
 * it is interrupted.
 */
void scheduler_wake(struct thread *thread)
{
    uint64_t flags = arch_irq_save();
    struct scheduler *there = &schedulers[thread->cpu];
    bool idles;

    spinlock_acquire(&there->lock);
    thread->state = THREAD_RUNNABLE;
    PITOT_TRACE(sched_wakeup, thread->name, thread->pid, thread->cpu);
    run_queue_put(&there->queue, thread);
    there->busy++;
    idles = there->current == there->idle;
    if (idles)
        pitot_preemption[thread->cpu].wanted = true;
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

/*
 * Code that turned interrupts off is not preempted: the switch stays pending until the next
 * interrupt exit, or the next preempt_on with interrupts on.
 */
void preempt_now(void)
{
    if (arch_irq_on())
        scheduler_yield();
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
        pitot_preemption[arch_cpu_id()].wanted = true;
}

/*
 * Called at an interrupt's end with interrupts off. If the interrupted thread holds a spinlock, it
 * switches when it releases the lock.
 */
static void scheduler_interrupt_exit(void)
{
    const struct pitot_preemption *here = &pitot_preemption[arch_cpu_id()];

    if (here->wanted && here->off == 0)
        scheduler_yield();
}

/* Checks the queue with interrupts off, so that no wake-up falls between the check and the halt. */
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
    if (cpu == arch_cpu_id())
        pitot_thread_runs(first->pid); /* others begin with their idle threads, of pid 0 */
    arch_set_interrupt_exit(scheduler_interrupt_exit);
}

/* --- Starting the other CPUs. --- */

static void cpu_begin(void)
{
    ticks_start_here();
    scheduler_idle(NULL);
}

static void cpu_start(unsigned cpu)
{
    struct thread *idle = thread_make_idle(cpu);
    uint64_t window;
    int64_t off;

    if (idle)
        scheduler_init(cpu, idle, idle);
    if (!idle || !arch_cpu_start(cpu, idle->stack, cpu_begin)) {
        print("Pitot: CPU %u did not start\n", cpu);
        return;
    }
    off = arch_cpu_clock_off(cpu, &window);
    if (off != 0)
        print("Pitot: the clock of CPU %u is %ld ns off: times of its events do not tell their "
              "order\n",
              cpu, (long)off);
}

void cpus_start(void)
{
    for (unsigned cpu = 1; cpu < arch_cpus(); cpu++)
        cpu_start(cpu);
}
