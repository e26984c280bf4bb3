/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The debug trap's gate in another kernel: its stacks, where traps that are not Pitot's continue,
 * and how a CPU's tables come to lead to it, as a hit on a CPU with another gate would crash that
 * kernel. The tables may be read-only, so write protection is briefly off. Sources: Intel SDM vol.
 * 3, "64-Bit Mode IDT", "64-Bit Mode Task-State Segment".
 */
#include "arch/cpu.h"
#include "arch/embed.h"
#include "arch/memory.h"
#include "arch/x86_64/cpu/cpu.h"
#include "arch/x86_64/entry/descriptors.h"
#include "arch/x86_64/entry/trap.h"
#include "arch/x86_64/memory/sections.h"
#include "core/host.h"

#define STACK_SIZE     8192
#define GATE_PRESENT   0x80
#define GATE_INTERRUPT 0x0e
#define IST_STACKS     7

#define TASK_TYPE       0x9d /* present, system, type; not: busy */
#define TASK_IS_64      0x89
#define TASK_LIMIT_HIGH 0x8f /* and granularity */

struct __attribute__((packed)) task_descriptor {
    uint16_t limit, base_low;
    uint8_t base_middle, type, limit_high, base_high;
    uint32_t base_highest, reserved;
};

_Static_assert(sizeof(struct task_descriptor) == 16, "the CPU's layout");

static char debug_stack[ARCH_CPUS_MAX][STACK_SIZE]
    __attribute__((section(".bss.nowatch_stacks"), aligned(16)));

uintptr_t arch_embed_debug_stack(unsigned cpu)
{
    return (uintptr_t)(debug_stack[cpu] + STACK_SIZE);
}

static _Noreturn void debug_unclaimed(void)
{
    host_panic("a debug trap that is not Pitot's, and gate 1 of the IDT was empty");
}

/* Where debug_entry.asm continues after traps that are not Pitot's: where the first gate led. */
NOWATCH_DATA void (*embed_debug_next)(void) = debug_unclaimed;

static unsigned next_ist; /* the first gate's IST stack; 0: none */

/* [owning CPU] */
static uintptr_t next_stack[ARCH_CPUS_MAX];    /* its top; 0: none */
static const struct tss *tasks[ARCH_CPUS_MAX]; /* read by the others, too */

unsigned arch_embed_debug_cpu(const struct regs *regs)
{
    return (unsigned)(((uintptr_t)regs - (uintptr_t)debug_stack) / STACK_SIZE);
}

/* A thread switch may write the TSS anew. */
uintptr_t arch_embed_next_stack(unsigned cpu, const struct regs *regs)
{
    if (next_stack[cpu])
        return next_stack[cpu];
    return regs->cs & RING_OF_SELECTOR ? tasks[cpu]->rsp[0] : regs->sp;
}

static struct gate *debug_gate(void)
{
    struct table_pointer idt;

    __asm__ volatile("sidt %0" : "=m"(idt));
    if (idt.limit < (VECTOR_DEBUG + 1) * sizeof(struct gate) - 1)
        return NULL;
    return (struct gate *)idt.base + VECTOR_DEBUG;
}

/* Its trap would overwrite a debug trap's frame, and the other way round. */
static bool is_shared(unsigned ist)
{
    struct table_pointer idt;
    const struct gate *gate;

    __asm__ volatile("sidt %0" : "=m"(idt));
    gate = (const struct gate *)idt.base;
    for (unsigned vector = 0; (vector + 1) * sizeof(*gate) <= idt.limit + 1u; vector++)
        if (vector != VECTOR_DEBUG && gate[vector].type & GATE_PRESENT &&
            (gate[vector].ist & IST_STACKS) == ist)
            return true;
    return false;
}

static uintptr_t gate_address(const struct gate *gate)
{
    return (uintptr_t)gate->offset_high << 32 | (uintptr_t)gate->offset_middle << 16 |
           gate->offset_low;
}

static uintptr_t task_base(const struct task_descriptor *task)
{
    return (uintptr_t)task->base_highest << 32 | (uintptr_t)task->base_high << 24 |
           (uintptr_t)task->base_middle << 16 | task->base_low;
}

/*
 * Returns this CPU's TSS; NULL if there is none where the GDT says. The CPU has read the GDT only
 * at LTR, and the kernel may have changed it since.
 */
static struct tss *task_state(void)
{
    struct table_pointer gdt;
    const struct task_descriptor *task;
    uint16_t selector;

    __asm__ volatile("sgdt %0" : "=m"(gdt));
    __asm__ volatile("str %0" : "=r"(selector));
    selector &= (uint16_t)~7u;
    if (selector == 0 || selector + sizeof(*task) - 1 > gdt.limit)
        return NULL;
    task = (const struct task_descriptor *)(gdt.base + selector);
    if ((task->type & TASK_TYPE) != TASK_IS_64 || !arch_canonical(task_base(task)) ||
        !arch_mapped(task_base(task), offsetof(struct tss, reserved2)))
        return NULL;
    if (!(task->limit_high & TASK_LIMIT_HIGH) && task->limit < offsetof(struct tss, reserved2) - 1)
        return NULL;
    return (struct tss *)task_base(task);
}

/*
 * A TSS of two CPUs would give them one stack of debug traps. Each CPU first publishes its own, so
 * that of two CPUs at once one sees the other.
 */
static bool is_others(const struct tss *task)
{
    unsigned self = arch_cpu_id();

    __atomic_store_n(&tasks[self], task, __ATOMIC_SEQ_CST);
    for (unsigned cpu = 0; cpu < ARCH_CPUS_MAX; cpu++)
        if (cpu != self && __atomic_load_n(&tasks[cpu], __ATOMIC_SEQ_CST) == task)
            return true;
    return false;
}

/* Then nothing is written: on some machines a store to the TSS hits a watch lower in its page. */
static bool is_taken(const struct gate *gate, const struct tss *task)
{
    return gate->type == (GATE_PRESENT | GATE_INTERRUPT) && gate->ist == host.debug_ist &&
           gate_address(gate) == (uintptr_t)embed_debug_entry &&
           task->ist[host.debug_ist - 1] == arch_embed_debug_stack(arch_cpu_id());
}

static void gate_write(struct gate *gate, struct tss *task)
{
    uintptr_t entry = (uintptr_t)embed_debug_entry;
    uint16_t selector;

    __asm__("movw %%cs, %0" : "=r"(selector));
    task->ist[host.debug_ist - 1] = arch_embed_debug_stack(arch_cpu_id());
    *gate = (struct gate){.offset_low = (uint16_t)entry,
                          .selector = selector,
                          .ist = (uint8_t)host.debug_ist,
                          .type = GATE_PRESENT | GATE_INTERRUPT,
                          .offset_middle = (uint16_t)(entry >> 16),
                          .offset_high = (uint32_t)(entry >> 32)};
}

/* CPUs may share the gate, but not the TSS. A kernel may write either anew. */
static void keep_next(const struct gate *gate, const struct tss *task)
{
    uintptr_t top;

    if (gate->type & GATE_PRESENT && gate_address(gate) != (uintptr_t)embed_debug_entry) {
        embed_debug_next = (void (*)(void))gate_address(gate);
        next_ist = gate->ist & IST_STACKS;
    }
    top = next_ist ? task->ist[next_ist - 1] : 0;
    if (top != arch_embed_debug_stack(arch_cpu_id()))
        next_stack[arch_cpu_id()] = top;
}

/* Interrupts are off, so that all is of one CPU. */
static const char *gate_take(void)
{
    struct gate *gate = debug_gate();
    struct tss *task = task_state();
    uint64_t cr0 = cpu_read_cr0();

    if (host.gate_stack_end)
        return host.frame ? NULL : "frame of struct pitot_kernel is 0: what trap entries push";
    if (host.debug_ist == 0 || host.debug_ist > IST_STACKS)
        return "debug_ist of struct pitot_kernel is not 1 to 7: the IST stack of debug traps";
    if (!gate)
        return "the IDT has no gate 1";
    if (!task)
        return "the TSS of this CPU is not where its GDT says, or not in `mapped`: set TR and that "
               "descriptor";
    if (is_taken(gate, task))
        return NULL;
    if (is_others(task))
        return "another CPU has the same TSS: each CPU needs one of its own";
    if (is_shared(host.debug_ist))
        return "debug_ist of struct pitot_kernel: another gate of the IDT has that IST stack";
    keep_next(gate, task);
    if (!(cpu_read_cr4() & CR4_CET)) /* with it, WP stays */
        cpu_write_cr0(cr0 & ~CR0_WP);
    gate_write(gate, task);
    cpu_write_cr0(cr0);
    return NULL;
}

const char *arch_embed_gate_take(void)
{
    uint64_t flags = arch_irq_save();
    const char *wrong = gate_take();

    arch_embed_note_gs();
    arch_irq_restore(flags);
    return wrong;
}
