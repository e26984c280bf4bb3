/* SPDX-License-Identifier: BSD-2-Clause */
/* Per-CPU data, and the state that traps need. Once per CPU, interrupts off. */
#include "kernel/x86_64/cpu/percpu.h"

#include "arch/cpu.h"
#include "arch/x86_64/cpu/cpu.h"
#include "arch/x86_64/debug/debugreg.h"
#include "arch/x86_64/memory/sections.h"
#include "kernel/x86_64/entry/gdt.h"
#include "kernel/x86_64/entry/idt.h"
#include "kernel/x86_64/entry/stacks.h"
#include "kernel/x86_64/entry/user.h"

NOWATCH_DATA struct percpu percpu[ARCH_CPUS_MAX];
NOWATCH_DATA static struct gdt gdt[ARCH_CPUS_MAX];
NOWATCH_DATA static struct tss tss[ARCH_CPUS_MAX];

static unsigned count = 1; /* set at boot */

void percpu_set_count(unsigned cpus)
{
    count = cpus;
}

unsigned arch_cpus(void)
{
    return count;
}

bool arch_cpu_runs(unsigned cpu)
{
    return __atomic_load_n(&percpu[cpu].runs, __ATOMIC_ACQUIRE);
}

void percpu_init(unsigned cpu)
{
    percpu[cpu].self = &percpu[cpu];
    percpu[cpu].cpu = cpu;
    for (unsigned i = 0; i < IST_COUNT; i++)
        tss[cpu].ist[i] = stack_of_cpu(cpu, i)->high;
    gdt_load(&gdt[cpu], &tss[cpu]);
    cpu_write_msr(MSR_GS_BASE, (uintptr_t)&percpu[cpu]); /* after gdt_load, which loads selectors */
    idt_load();
    user_init_cpu();
    debugreg_load();
    if (cpu == 0)
        percpu[cpu].runs = true; /* other CPUs set this later, with their APIC enabled */
}
