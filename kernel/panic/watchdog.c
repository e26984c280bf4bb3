/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * watchdog=SECONDS (panic.h). Each CPU checks itself in the NMI clock (pitot_nmi_clock), so a check
 * costs other CPUs nothing. A report is made in an NMI while all other CPUs are stopped; it
 * takes no lock, changes nothing, and prints by polling.
 */

#include "arch/cpu.h"
#include "arch/regs.h"
#include "core/lib/print.h"
#include "core/pitot.h"
#include "kernel/cmdline.h"
#include "kernel/hit/print_guard.h"
#include "kernel/lock/kernel_lock.h"
#include "kernel/lock/spinlock.h"
#include "kernel/panic/panic.h"
#include "kernel/sched/scheduler.h"
#include "kernel/time/ticks.h"
#include "kernel/x86_64/smp.h"

#define SECONDS_MOST 3600
#define LOOK_HERTZ   10
#define LOOK_NS      (1000000000ull / LOOK_HERTZ)
#define TOGETHER_NS  (3 * LOOK_NS)

/*
 * Least number of checks without progress before a report. A CPU that was only stopped or parked
 * serves its interrupts before that.
 */
#define LOOKS_LEAST 4

/* Each CPU's view of itself. [owning CPU; a stall's reporter while all others are stopped] */
static struct {
    uint64_t served; /* ticks_served at the last check */
    uint64_t since;  /* arch_clock_ns when `served` last changed */
    uint64_t looked;
    unsigned looks; /* number of checks since then */
    bool reported;
} watched[ARCH_CPUS_MAX];

static uint64_t limit;   /* ns; set at boot */
static bool is_reported; /* [A] a report is being made */

static bool is_stalled(unsigned cpu, uint64_t now, uint64_t nanoseconds)
{
    return !watched[cpu].reported && watched[cpu].looks >= LOOKS_LEAST &&
           ticks_served(cpu) == watched[cpu].served && now - watched[cpu].since >= nanoseconds;
}

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

/*
 * `regs`: where the NMI interrupted this CPU. `stalled`: how many ns each CPU has made no progress;
 * 0: not stalled.
 */
static void print_report(const struct regs *regs, const uint64_t *stalled)
{
    struct print_guard_kept kept = print_guard_seize();
    unsigned me = arch_cpu_id();

    print("\nWATCHDOG: a CPU makes no progress\n");
    for (unsigned cpu = 0; cpu < arch_cpus(); cpu++)
        if (arch_cpu_runs(cpu))
            print_cpu(cpu, cpu == me ? regs : arch_stopped_regs(cpu), stalled[cpu]);
    print_kernel_lock();
    pitot_samples_print();
    print("WATCHDOG: the machine continues\n");
    print_guard_give_back(&kept);
}

/*
 * Reports all stalled CPUs together, also those that would notice a few checks later. The time of
 * the report does not count as a stall.
 */
static void report(const struct regs *regs, uint64_t now)
{
    uint64_t stalled[ARCH_CPUS_MAX] = {0};

    arch_cpus_rendezvous();
    for (unsigned cpu = 0; cpu < arch_cpus(); cpu++)
        if (arch_cpu_runs(cpu) && is_stalled(cpu, now, limit - TOGETHER_NS)) {
            stalled[cpu] = now - watched[cpu].since;
            watched[cpu].reported = true;
        }
    print_report(regs, stalled);
    for (unsigned cpu = 0; cpu < arch_cpus(); cpu++)
        watched[cpu].looks = 0;
    arch_cpus_go();
}

static void watchdog_look(const void *regs, unsigned long now)
{
    unsigned cpu = arch_cpu_id();
    uint64_t served = ticks_served(cpu);

    if (now - watched[cpu].looked < LOOK_NS)
        return;
    watched[cpu].looked = now;
    watched[cpu].looks++;
    if (served != watched[cpu].served) {
        watched[cpu].served = served;
        watched[cpu].since = now;
        watched[cpu].looks = 0;
        watched[cpu].reported = false;
    }
    if (is_stalled(cpu, now, limit) && !__atomic_exchange_n(&is_reported, true, __ATOMIC_ACQUIRE)) {
        report(regs, now);
        __atomic_store_n(&is_reported, false, __ATOMIC_RELEASE);
    }
}

static int read_seconds(uint64_t *seconds, struct refusal *why)
{
    int error = cmdline_number("watchdog", seconds, why);

    if (!error && (*seconds == 0 || *seconds > SECONDS_MOST))
        return refuse(why, ERANGE, "watchdog=%llu: 1 to %d seconds are allowed",
                      (unsigned long long)*seconds, SECONDS_MOST);
    return error;
}

void watchdog_init(void)
{
    uint64_t seconds;
    struct refusal why;
    int error = read_seconds(&seconds, &why);
    const char *problem;

    if (error == -ENOENT)
        return;
    if (error) {
        print("watchdog: %s\n", why.text);
        return;
    }
    limit = seconds * 1000000000;
    for (unsigned cpu = 0; cpu < arch_cpus(); cpu++)
        watched[cpu].since = arch_clock_ns();
    problem = pitot_nmi_clock(watchdog_look, LOOK_HERTZ);
    if (problem)
        print("watchdog: off, as this machine has no clock that sends NMIs: %s\n", problem);
}
