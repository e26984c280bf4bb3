/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The debug trap's gate in another kernel: its stacks, where traps that are not Pitot's continue,
 * and whether a CPU's tables lead to it, as a hit on a CPU with another gate would crash that
 * kernel. Sources: Intel SDM vol. 3, "64-Bit Mode IDT", "64-Bit Mode Task-State Segment".
 */
#include "arch/cpu.h"
#include "arch/embed.h"
#include "arch/memory.h"
#include "arch/x86_64/entry/gdt.h"
#include "arch/x86_64/entry/idt.h"
#include "arch/x86_64/entry/vectors.h"
#include "arch/x86_64/memory/sections.h"
#include "core/host.h"

#define STACK_SIZE     8192
#define GATE_PRESENT   0x80
#define GATE_INTERRUPT 0x0e
#define GATE_TYPE      0x0f
#define GATE_IST       7

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

void *pitot_debug_stack(unsigned cpu)
{
    return cpu < ARCH_CPUS_MAX ? debug_stack[cpu] + STACK_SIZE : NULL;
}

static _Noreturn void debug_unclaimed(void)
{
    host_panic("a debug trap that is not Pitot's: debug_next of struct pitot_kernel is 0");
}

/*
 * Where debug_entry.asm continues after traps that are not Pitot's. Written only by
 * arch_embed_gate_init.
 */
NOWATCH_DATA void (*embed_debug_next)(void);

void arch_embed_gate_init(void)
{
    embed_debug_next = host.debug_next ? host.debug_next : debug_unclaimed;
}

static const struct gate *debug_gate(void)
{
    struct table_pointer idt;

    __asm__ volatile("sidt %0" : "=m"(idt));
    if (idt.limit < (VECTOR_DEBUG + 1) * sizeof(struct gate) - 1)
        return NULL;
    return (const struct gate *)idt.base + VECTOR_DEBUG;
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
static const struct tss *task_state(void)
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
    return (const struct tss *)task_base(task);
}

/* Interrupts are off, so that all is of one CPU. */
static const char *gate_wrong(void)
{
    const struct gate *gate = debug_gate();
    const struct tss *task = task_state();
    unsigned ist;

    if (!gate || !(gate->type & GATE_PRESENT))
        return "gate 1 of the IDT is empty: set it to pitot_debug_entry";
    if (gate_address(gate) != (uintptr_t)pitot_debug_entry) {
        if (host.gate_end && host.gate_stack_end)
            return NULL;
        return "gate 1 of the IDT is not pitot_debug_entry, and struct pitot_kernel does not name "
               "gate and gate_stack of another one";
    }
    ist = gate->ist & GATE_IST;
    if ((gate->type & GATE_TYPE) != GATE_INTERRUPT)
        return "gate 1 of the IDT is not an interrupt gate";
    if (!task)
        return "the TSS of this CPU is not where its GDT says, or not in `mapped`: set TR "
               "and that descriptor";
    if (ist == 0 || task->ist[ist - 1] != (uintptr_t)pitot_debug_stack(arch_cpu_id()))
        return "the IST stack of gate 1 is not pitot_debug_stack of this CPU";
    return NULL;
}

const char *arch_embed_gate_wrong(void)
{
    uint64_t flags = arch_irq_save();
    const char *wrong = gate_wrong();

    arch_irq_restore(flags);
    return wrong;
}
