/* SPDX-License-Identifier: BSD-2-Clause */
/* Starts all CPUs but the boot CPU (docs/kernel.md). Boot, interrupts off, on the boot CPU. */
#include "arch/cpu.h"
#include "arch/park.h"
#include "core/lib/print.h"
#include "kernel/sched/scheduler.h"
#include "kernel/time/ticks.h"
#include "kernel/x86_64/smp.h"

static void begin(void)
{
    ticks_start_here();
    scheduler_idle(NULL);
}

static void start(unsigned cpu)
{
    struct thread *idle = thread_make_idle(cpu);
    uint64_t window;
    int64_t off;

    if (idle)
        scheduler_init(cpu, idle, idle);
    if (!idle || !arch_cpu_start(cpu, idle->stack, begin)) {
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
        start(cpu);
}
