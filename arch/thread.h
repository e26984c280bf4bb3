/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Switching between threads, and the threads' stacks. kernel/sched decides when to switch, and to
 * which thread. Task context, unless stated otherwise.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arch_stack;
struct regs;

/* Maximum number of threads with a stack, besides the boot thread. */
#define ARCH_THREAD_STACKS 255

/*
 * The stack with this number, for a thread whose name is at `name` while it has the stack; NULL:
 * out of memory. Task context; the caller ensures that no other thread has this stack.
 */
const struct arch_stack *arch_thread_stack(unsigned number, const char *name);

/*
 * Number of pages allocated to stacks; a page stays with its stack for the next thread. Any
 * context.
 */
size_t arch_stack_pages(void);

/*
 * Builds the initial frame on the stack and returns the stack pointer for arch_switch: the first
 * switch to it calls `entry`, with interrupts off, as the outermost function of a call chain.
 * `entry` does not return.
 */
uintptr_t arch_thread_prepare(const struct arch_stack *stack, void (*entry)(void));

/*
 * Pushes the callee-saved registers and the flags, stores the stack pointer in *from, and returns
 * from the call of arch_switch that stored `to`. Interrupts off, on a task's stack.
 */
void arch_switch(uintptr_t *from, uintptr_t to);

/*
 * Snapshots the registers of a context that has called arch_switch, for a call chain. Any context.
 */
void arch_switched_regs(uintptr_t sp, struct regs *regs);

/*
 * False inside an interrupt handler, a debug trap or an NMI: their stacks and the order of their
 * returns belong to the CPU, not to a thread.
 */
bool arch_may_switch(void);

/*
 * Sets `leave`, called after an interrupt handler has returned, with interrupts off, on the
 * interrupted thread's stack; it may switch threads. Not called if that stack has no room.
 */
void arch_set_interrupt_exit(void (*leave)(void));
