/* SPDX-License-Identifier: BSD-2-Clause */
/* See watchdog_report.h. */
#include "kernel/panic/watchdog_report.h"

#include "arch/park.h"
#include "core/lib/print.h"
#include "core/recording/recording.h"
#include "kernel/hit/print_guard.h"
#include "kernel/lock/kernel_lock.h"
#include "kernel/lock/spinlock.h"
#include "kernel/panic/panic.h"
#include "kernel/sched/scheduler.h"

/* All other CPUs stand still, so the holder does not change during the search. */
static void print_holder(const struct spinlock *lock)
{
    for (unsigned cpu = 0; cpu < arch_cpus(); cpu++)
        for (unsigned i = 0; i < held_locks[cpu].count && i < HELD_LOCKS_MAX; i++)
            if (held_locks[cpu].lock[i] == lock) {
                print(", which CPU %u holds\n", cpu);
                return;
            }
    print(", whose holder is not known\n");
}

static void print_lock(const char *what, const struct spinlock *lock)
{
    print("  %s spinlock %p%s%s", what, (const void *)lock, lock->name ? " " : "",
          lock->name ? lock->name : "");
}

static void print_locks(unsigned cpu)
{
    const struct held_locks *there = &held_locks[cpu];

    for (unsigned i = 0; i < there->count && i < HELD_LOCKS_MAX; i++)
        if (there->lock[i]) {
            print_lock("holds", there->lock[i]);
            print("\n");
        }
    if (there->count > HELD_LOCKS_MAX)
        print("  holds %u more spinlocks\n", there->count - HELD_LOCKS_MAX);
    if (there->waits_for) {
        print_lock("waits for", there->waits_for);
        print_holder(there->waits_for);
    }
}

static void print_cpu(unsigned cpu, const struct regs *regs, uint64_t stalled)
{
    const struct thread *thread = scheduler_current(cpu);

    print("CPU %u: thread %s (%u)", cpu, thread->name, thread->pid);
    if (stalled)
        print(", no interrupt served for %llu.%llu seconds",
              (unsigned long long)(stalled / 1000000000),
              (unsigned long long)(stalled / 100000000 % 10));
    print("\n");
    print_locks(cpu);
    if (regs)
        panic_print_chain(regs);
    else
        print("  (it does not answer: no call chain)\n");
}

/* If the holder sleeps or is preempted, its call chain is not among those above. */
static void print_kernel_lock(void)
{
    unsigned waiting;
    const struct thread *holder = kernel_lock_holder(&waiting);
    struct regs regs;

    if (!holder) {
        print("kernel lock: %s\n", kernel_flag ? "about to be taken by another thread" : "free");
        return;
    }
    print("kernel lock: thread %s (%u) on CPU %u holds it, %u wait\n", holder->name, holder->pid,
          holder->cpu, waiting);
    if (scheduler_current(holder->cpu) == holder)
        return;
    arch_switched_regs(holder->sp, &regs);
    panic_print_chain(&regs);
}

void watchdog_report(const struct watchdog_stalls *stalls)
{
    struct print_guard_kept kept = print_guard_seize();
    unsigned me = arch_cpu_id();

    print("\nWATCHDOG: a CPU makes no progress\n");
    for (unsigned cpu = 0; cpu < arch_cpus(); cpu++)
        if (arch_cpu_runs(cpu))
            print_cpu(cpu, cpu == me ? stalls->regs : arch_stopped_regs(cpu), stalls->ns[cpu]);
    print_kernel_lock();
    panic_print_samples(recording_source_for_report());
    print("WATCHDOG: the machine continues\n");
    print_guard_give_back(&kept);
}
