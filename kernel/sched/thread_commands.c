/* SPDX-License-Identifier: BSD-2-Clause */
/* Commands that show threads and CPUs: `ps`, `bt [PID]` and `cpus`. Task context. */
#include <linux/errno.h>

#include "arch/cpu.h"
#include "arch/snapshot.h"
#include "arch/watch.h"
#include "core/lib/arguments.h"
#include "core/lib/cpus.h"
#include "core/lib/print.h"
#include "core/pitot.h"
#include "kernel/console/input.h"
#include "kernel/sched/scheduler.h"
#include "kernel/sched/thread.h"
#include "kernel/sched/wait_queue.h"

static const char *state_name(enum thread_state state)
{
    static const char *const names[] = {
        [THREAD_FREE] = "free",       [THREAD_MAKING] = "making",   [THREAD_RUNNABLE] = "ready",
        [THREAD_RUNNING] = "runs",    [THREAD_SLEEPING] = "sleeps", [THREAD_ENDING] = "ends",
        [THREAD_ENDED] = "has ended",
    };

    return names[state];
}

/* Formats a line with all other CPUs parked, so that the thread and its wait queue stay valid. */
static void describe(unsigned index, char *line, size_t size)
{
    struct thread *thread;
    uint64_t ran;

    line[0] = '\0';
    if (!thread_at(index))
        return;
    cpus_park_surely();
    thread = thread_at(index);
    if (thread) {
        ran = thread_ran_ns(thread);
        print_into(
            line, size, "%5u  %3u  %-9s %5llu.%06llu  %8llu  %5zu/%zu  %-15s  %s\n", thread->pid,
            thread->cpu, thread->stopped ? "stopped" : state_name(thread->state),
            (unsigned long long)(ran / 1000000000), (unsigned long long)(ran % 1000000000 / 1000),
            (unsigned long long)thread->switches, thread_stack_used(thread),
            (size_t)(thread->stack->high - thread->stack->low), thread->name,
            thread->waits_on ? thread->waits_on->name : "-");
    }
    cpus_release();
}

static int ps_run(int argc, char **argv)
{
    char line[128];

    (void)argc, (void)argv;
    pitot_print(
        "  pid  cpu  state      CPU seconds  switches   stack used  name             waits for\n");
    for (unsigned i = 0; i < THREADS_MAX; i++) {
        describe(i, line, sizeof(line));
        pitot_print("%s", line);
    }
    return input_interrupted() ? -EINTR : 0;
}

PITOT_COMMAND(ps, "", "the threads and what they do", ps_run);

static struct pitot_chain chain; /* used only by the command */

static int bt_print(void)
{
    pitot_chain_print(&chain);
    return input_interrupted() ? -EINTR : 0;
}

/*
 * Stores the registers of a thread that is not running: those of its last switch, or those that its
 * CPU had when it was parked. Returns false if there are none.
 */
static bool where(const struct thread *thread, struct regs *regs)
{
    const struct regs *parked = arch_stopped_regs(thread->cpu);
    bool stands = thread->state == THREAD_RUNNABLE || thread->state == THREAD_SLEEPING;

    if (parked && scheduler_current(thread->cpu) == thread) /* it may be about to switch */
        *regs = *parked;
    else if (stands)
        arch_switched_regs(thread->sp, regs);
    else
        return false;
    return true;
}

/* All other CPUs are parked, so the stack does not change. */
static bool bt_of(uint32_t pid)
{
    const struct thread *thread = thread_find(pid);
    struct regs regs;

    if (!thread || !where(thread, &regs))
        return false;
    pitot_chain_take(&chain, &regs);
    return true;
}

static int bt_other(uint32_t pid)
{
    struct refusal why;
    int error = cpus_park(&why);
    bool found;

    if (error) {
        print("bt: %s\n", why.text);
        return error;
    }
    found = bt_of(pid);
    cpus_release();
    if (!found) {
        print("bt: there is no thread %u that has a call chain; `ps` lists the threads\n", pid);
        return -ESRCH;
    }
    return bt_print();
}

void thread_words(bool (*takes)(const struct thread *thread))
{
    char pid[sizeof("4294967295")];
    const struct thread *thread;

    for (unsigned i = 0; i < THREADS_MAX; i++) {
        if (!(thread = thread_at(i)) || !takes(thread))
            continue;
        print_into(pid, sizeof(pid), "%u", thread->pid);
        pitot_word(pid);
    }
}

static bool is_thread(const struct thread *thread)
{
    return thread != NULL;
}

static void bt_words(int argc, char **argv)
{
    (void)argv;
    if (argc == 2)
        thread_words(is_thread);
}

/* The command's own call chain starts at this function. */
static int bt_run(int argc, char **argv)
{
    struct regs regs;
    uint32_t pid;

    if (argc > 2 || (argc == 2 && !arguments_number(argv[1], &pid))) {
        print("bt: give the number of a thread, or nothing; `ps` lists the threads\n");
        return -EINVAL;
    }
    if (argc == 2 && pid != thread_current()->pid)
        return bt_other(pid);
    REGS_SNAPSHOT_PARTIAL(&regs); /* enough for a chain */
    pitot_chain_take(&chain, &regs);
    return bt_print();
}

PITOT_COMMAND_WITH(bt, "bt", "[PID]", "the call chain from here, or of another thread", bt_run, 0,
                   bt_words);

/* What each CPU is doing. */
struct glance {
    uintptr_t ip; /* 0: this CPU runs the command */
    uint32_t pid;
    unsigned watches;
    char name[PITOT_NAME_SIZE];
};

/* All other CPUs are parked. */
static void look(unsigned cpu, struct glance *glance)
{
    const struct thread *thread = scheduler_current(cpu);
    const struct regs *regs = arch_stopped_regs(cpu);

    *glance = (struct glance){
        .ip = regs ? regs->ip : 0, .pid = thread->pid, .watches = arch_watches(cpu)};
    print_into(glance->name, sizeof(glance->name), "%s", thread->name);
}

static void print_clock(unsigned cpu)
{
    uint64_t window;
    int64_t off = arch_cpu_clock_off(cpu, &window);

    if (cpu == 0)
        pitot_print("the other clocks are compared with this one\n");
    else if (off == 0)
        pitot_print("clock right to %llu ns\n", (unsigned long long)window);
    else
        pitot_print("clock %lld ns off\n", (long long)off);
}

static int cpus_run(int argc, char **argv)
{
    static struct glance glances[ARCH_CPUS_MAX]; /* used only by the console */
    struct refusal why;
    int error = cpus_park(&why);

    (void)argc, (void)argv;
    if (error) {
        print("cpus: %s\n", why.text);
        return error;
    }
    for (unsigned cpu = 0; cpu < arch_cpus(); cpu++)
        if (arch_cpu_runs(cpu))
            look(cpu, &glances[cpu]);
    cpus_release();

    pitot_print("  cpu  watches    pid  thread           at\n");
    for (unsigned cpu = 0; cpu < arch_cpus(); cpu++) {
        const struct glance *glance = &glances[cpu];
        char place[96] = "this command";

        if (!arch_cpu_runs(cpu)) {
            pitot_print("%5u  did not start\n", cpu);
            continue;
        }
        if (glance->ip)
            pitot_describe(glance->ip, place, sizeof(place));
        pitot_print("%5u  %7u  %5u  %-15s  %-32s  ", cpu, glance->watches, glance->pid,
                    glance->name, place);
        print_clock(cpu);
        if (pitot_lapses(cpu))
            pitot_print(
                "       its debug registers were found disarmed %llu times, and hits were missed\n",
                (unsigned long long)pitot_lapses(cpu));
    }
    return 0;
}

PITOT_COMMAND(cpus, "", "the CPUs, what each does, and the watches armed there", cpus_run);
