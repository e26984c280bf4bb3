/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * `irqs-off`: work that a timer cannot see, for tests/boot/nmi.t. A third of the time passes with
 * interrupts on, a third with interrupts off, and a third in an interrupt handler, in turns of 0.2
 * ms, so a clock that sees everything has equally many samples in each. Runs on all CPUs at once.
 * Task context.
 */
#include "arch/cpu.h"
#include "arch/regs.h"
#include "arch/x86_64/entry/trap.h"
#include "core/console/command.h"
#include "core/lib/print.h"
#include "kernel/sched/thread.h"

#define VECTOR  0xe0 /* otherwise unused */
#define TURN_NS 200000ull
#define TURNS   100

static void spin(void)
{
    for (uint64_t start = arch_clock_ns(); arch_clock_ns() - start < TURN_NS;)
        arch_relax();
}

__attribute__((noinline)) static void spin_irqs_on(void)
{
    spin();
}

__attribute__((noinline)) static void spin_irqs_off(void)
{
    uint64_t flags = arch_irq_save();

    spin();
    arch_irq_restore(flags);
}

static void spin_in_handler(struct regs *regs)
{
    (void)regs;
    spin();
}

__attribute__((noinline)) static void spin_interrupted(void)
{
    __asm__ volatile("int %0" : : "i"(VECTOR) : "memory");
}

__attribute__((noinline)) static void spin_turns(void *unused)
{
    (void)unused;
    for (unsigned turn = 0; turn < TURNS; turn++) {
        spin_irqs_on();
        spin_irqs_off();
        spin_interrupted();
    }
}

/* This thread runs on the boot CPU; each other CPU gets one. */
static int irqs_off_run(int argc, char **argv)
{
    struct thread *threads[ARCH_CPUS_MAX] = {NULL};
    struct refusal why;

    (void)argc;
    (void)argv;
    trap_set_handler(VECTOR, spin_in_handler);
    for (unsigned cpu = 1; cpu < arch_cpus(); cpu++)
        threads[cpu] = thread_create_on(cpu, "irqs-off", spin_turns, NULL, &why);
    spin_turns(NULL);
    for (unsigned cpu = 1; cpu < arch_cpus(); cpu++)
        if (threads[cpu])
            thread_join(threads[cpu]);
    return 0;
}

PITOT_COMMAND_AS(irqs_off, "irqs-off", "", "work with interrupts off, on all CPUs", irqs_off_run,
                 0);
