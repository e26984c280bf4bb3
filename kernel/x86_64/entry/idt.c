/* SPDX-License-Identifier: BSD-2-Clause */
/* Fills and loads the IDT. Boot, interrupts off. Source: Intel SDM vol. 3, "64-Bit Mode IDT". */
#include "kernel/x86_64/entry/idt.h"

#include "arch/x86_64/cpu/cpu.h"
#include "arch/x86_64/cpu/regs.h"
#include "arch/x86_64/entry/descriptors.h"
#include "arch/x86_64/entry/vectors.h"
#include "arch/x86_64/memory/sections.h"
#include "kernel/x86_64/entry/gdt.h"
#include "kernel/x86_64/entry/stacks.h"

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

void idt_load(void)
{
    const struct table_pointer pointer = {sizeof(idt) - 1, (uintptr_t)idt};

    __asm__ volatile("lidt %0" : : "m"(pointer));
}
