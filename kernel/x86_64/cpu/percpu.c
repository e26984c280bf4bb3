/* SPDX-License-Identifier: BSD-2-Clause */
/* Per-CPU data, and the tables that traps need. Once per CPU, interrupts off. */
#include "kernel/x86_64/cpu/percpu.h"

#include "arch/cpu.h"
#include "arch/regs.h"
#include "arch/x86_64/cpu/cpu.h"
#include "arch/x86_64/debug/debugreg.h"
#include "arch/x86_64/entry/descriptors.h"
#include "arch/x86_64/entry/trap.h"
#include "arch/x86_64/memory/sections.h"
#include "kernel/x86_64/entry/stacks.h"
#include "kernel/x86_64/entry/user.h"

/* --- Segments and the task state segment. --- */

/* Access bytes and flags of Intel SDM vol. 3, "Segment Descriptors". */
#define DESCRIPTOR_KERNEL_CODE 0x00af9b000000ffffull /* present, ring 0, code, readable, 64-bit */
#define DESCRIPTOR_KERNEL_DATA 0x00cf93000000ffffull /* present, ring 0, data, writable */
#define DESCRIPTOR_USER_DATA   0x00cff3000000ffffull /* present, ring 3, data, writable */
#define DESCRIPTOR_USER_CODE   0x00affb000000ffffull /* present, ring 3, code, readable, 64-bit */
#define DESCRIPTOR_TSS         0x0000890000000000ull /* present, ring 0, available 64-bit TSS */

#define TSS_SELECTOR 0x30

/* Selector 0x18 is empty: `sysret` would look for 32-bit code there. */
struct gdt {
    uint64_t entry[8];
};

/* Fills gdt and tss; loads GDTR, segment registers and TR of this CPU. */
static void gdt_load(struct gdt *gdt, struct tss *tss)
{
    uint64_t base = (uintptr_t)tss, limit = sizeof(*tss) - 1;
    struct table_pointer pointer = {sizeof(*gdt) - 1, (uintptr_t)gdt};

    *gdt = (struct gdt){{0}};
    gdt->entry[KERNEL_CODE_SELECTOR / 8] = DESCRIPTOR_KERNEL_CODE;
    gdt->entry[KERNEL_DATA_SELECTOR / 8] = DESCRIPTOR_KERNEL_DATA;
    gdt->entry[USER_DATA_SELECTOR / 8] = DESCRIPTOR_USER_DATA;
    gdt->entry[USER_CODE_SELECTOR / 8] = DESCRIPTOR_USER_CODE;
    gdt->entry[TSS_SELECTOR / 8] =
        DESCRIPTOR_TSS | limit | (base & 0xffffff) << 16 | (base >> 24 & 0xff) << 56;
    gdt->entry[TSS_SELECTOR / 8 + 1] = base >> 32;
    tss->io_map_base = sizeof(*tss); /* past the limit: no I/O map */
    __asm__ volatile("lgdt %0\n\t"
                     "mov %w1, %%ds\n\t"
                     "mov %w1, %%es\n\t"
                     "mov %w1, %%ss\n\t"
                     "lldt %w3\n\t" /* the firmware may have left an LDT with user segments */
                     "ltr %w2"
                     :
                     : "m"(pointer), "r"(KERNEL_DATA_SELECTOR), "r"(TSS_SELECTOR), "r"(0)
                     : "memory");
}

/* --- The interrupt descriptor table (Intel SDM vol. 3, "64-Bit Mode IDT"). --- */

#define GATE_INTERRUPT   0x8e /* present, ring 0, interrupt gate: interrupts off on entry */
#define GATE_OF_PROGRAMS 0xee /* the same, also for `int3` in ring 3 */

NOWATCH_DATA __attribute__((aligned(16))) static struct gate idt[VECTORS];

static uint8_t idt_stack_of(unsigned vector)
{
    static const uint8_t own[VECTOR_FIRST_INTERRUPT] = {
        [VECTOR_NMI] = IST_NMI,
        [VECTOR_DEBUG] = IST_DEBUG,
        [VECTOR_DOUBLE_FAULT] = IST_DOUBLE_FAULT,
        [VECTOR_MACHINE_CHECK] = IST_MACHINE_CHECK,
    };

    if (vector >= VECTOR_FIRST_INTERRUPT)
        return IST_INTERRUPT;
    return own[vector] ? own[vector] : IST_EXCEPTION;
}

static void idt_set(unsigned vector, uintptr_t entry)
{
    idt[vector] = (struct gate){
        .offset_low = (uint16_t)entry,
        .selector = KERNEL_CODE_SELECTOR,
        .ist = idt_stack_of(vector),
        .type = vector == VECTOR_BREAKPOINT ? GATE_OF_PROGRAMS : GATE_INTERRUPT,
        .offset_middle = (uint16_t)(entry >> 16),
        .offset_high = (uint32_t)(entry >> 32),
    };
}

/* CPUs without SMAP lack `clac`. The text is still writable, which the compiler does not know. */
static void idt_leave_clac_out(void)
{
    static const uint8_t nop[] = {0x0f, 0x1f, 0x00};

    for (const uintptr_t *site = trap_clacs; site < trap_clacs_end; site++)
        for (unsigned i = 0; i < sizeof(nop); i++)
            *(volatile uint8_t *)(*site + i) = nop[i];
}

void idt_init(void)
{
    if (!(cpu_features().ebx & CPUID_7_EBX_SMAP))
        idt_leave_clac_out();
    for (unsigned vector = 0; vector < VECTORS; vector++)
        idt_set(vector, (uintptr_t)trap_stubs + vector * TRAP_STUB_SIZE);
}

static void idt_load(void)
{
    const struct table_pointer pointer = {sizeof(idt) - 1, (uintptr_t)idt};

    __asm__ volatile("lidt %0" : : "m"(pointer));
}

/* --- Per-CPU data. --- */

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
