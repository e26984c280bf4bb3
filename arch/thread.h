/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How one thread gives the CPU to another, and their stacks. Policy (which thread, when) is
 * kernel/sched's. Task context, but where it says otherwise.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arch_stack;
struct regs;

/* Stacks for so many threads, beside the one that the kernel boots on. */
#define ARCH_THREAD_STACKS 255

/*
 * The stack of that number, for a thread whose name will stand at `name` as long as it has the
 * stack; NULL: there is no memory for it. Task context; the caller knows that no other thread has
 * it.
 */
const struct arch_stack *arch_thread_stack(unsigned number, const char *name);

/* Pages that stacks have taken and keep for the next thread that gets them. Any context. */
size_t arch_stack_pages(void);

/*
 * Lays a first frame on the stack and returns the stack pointer that arch_switch takes: the first
 * switch to it calls `entry`, interrupts off, as the outermost function of a call chain. `entry`
 * does not return.
 */
uintptr_t arch_thread_prepare(const struct arch_stack *stack, void (*entry)(void));

/*
 * Puts what a function call preserves, and the flags, on the stack, stores the stack pointer in
 * *from, and resumes where the switch that stored `to` was called. Interrupts off, task stack.
 */
void arch_switch(uintptr_t *from, uintptr_t to);

/* Registers for a call chain of a context that arch_switch left: a snapshot. Any context. */
void arch_switched_regs(uintptr_t sp, struct regs *regs);

/*
 * False inside an interrupt's handler, a debug trap or an NMI: their stacks and the order of their
 * returns belong to the CPU, not to a thread.
 */
bool arch_may_switch(void);

/*
 * Called when an interrupt's handler has returned, interrupts off, on the interrupted thread's
 * stack; may switch. Not called where that stack had no room.
 */
void arch_set_interrupt_exit(void (*leave)(void));
