/* SPDX-License-Identifier: BSD-2-Clause */
/* The command `cpus`: a snapshot of what each CPU is doing. Task context. */
#include "arch/park.h"
#include "arch/watch.h"
#include "core/lib/cpus.h"
#include "core/lib/print.h"
#include "core/pitot.h"
#include "kernel/sched/scheduler.h"

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
