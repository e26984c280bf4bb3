/* SPDX-License-Identifier: BSD-2-Clause */
/* Switching threads, and their stacks: for kernel/sched. Task context, unless stated otherwise. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arch_stack;
struct regs;

/* Maximum number of threads besides the boot thread. */
#define ARCH_THREAD_STACKS 255

/*
 * Returns stack `number`, of no other thread, for the thread named `name`; NULL if out of memory.
 */
const struct arch_stack *arch_thread_stack(unsigned number, const char *name);

/* The stacks on which the CPUs but the first push frames: [returned address, *end). */
const void *arch_frame_stacks(const void **end);

/* Number of pages allocated to stacks; each stays with its stack for later threads. Any context. */
size_t arch_stack_pages(void);

/*
 * Returns the stack pointer for a first arch_switch, which calls `entry` with interrupts off, as
 * the outermost function of a call chain. `entry` does not return.
 */
uintptr_t arch_thread_prepare(const struct arch_stack *stack, void (*entry)(void));

/*
 * Saves the callee-saved registers and flags, stores the stack pointer in *from, and returns from
 * the arch_switch that stored `to`. Interrupts off, on a task's stack.
 */
void arch_switch(uintptr_t *from, uintptr_t to);

/* Stores the registers of a context that has called arch_switch, for a call chain. Any context. */
void arch_switched_regs(uintptr_t sp, struct regs *regs);

/* False in an interrupt handler, debug trap or NMI: their stacks belong to the CPU. */
bool arch_may_switch(void);

/*
 * Sets `leave`, which is called after an interrupt handler on the interrupted thread's stack,
 * interrupts off, unless that stack has no room. It may switch threads.
 */
void arch_set_interrupt_exit(void (*leave)(void));
