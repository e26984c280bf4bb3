/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The boot CPU's own area and stacks, and loading what makes traps possible. Called once,
 * interrupts off.
 */
#include "arch/x86_64/percpu.h"

#include "arch/arch.h"
#include "arch/x86_64/cpu.h"
#include "arch/x86_64/gdt.h"
#include "arch/x86_64/idt.h"
#include "arch/x86_64/sections.h"
#include "arch/x86_64/stacks.h"

NOWATCH_DATA struct percpu percpu_boot = {.cpu = 0};
NOWATCH_DATA static struct gdt gdt;
NOWATCH_DATA static struct tss tss;

__attribute__((section(".bss.stacks"), aligned(4096))) struct stack_pages stack_task;
__attribute__((section(".bss.stacks"),
               aligned(4096))) struct stack_pages stack_threads[ARCH_THREAD_STACKS];
__attribute__((section(".bss.nowatch_stacks"),
               aligned(4096))) struct stack_pages stack_ist[IST_COUNT];

void percpu_init(void)
{
    cpu_write_msr(MSR_GS_BASE, (uintptr_t)&percpu_boot);
    for (unsigned i = 0; i < IST_COUNT; i++)
        tss.ist[i] = stack_top(&stack_ist[i]);
    gdt_load(&gdt, &tss);
    idt_load();
}
