/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Switching from one thread to another, and the threads' stacks. kernel/sched decides when, and to
 * which thread. Task context, unless it says otherwise.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arch_stack;
struct regs;

/* How many threads can have a stack, besides the one that the kernel boots on. */
#define ARCH_THREAD_STACKS 255

/*
 * The stack with this number, for a thread whose name is at `name` as long as it has the stack;
 * NULL: there is no memory for it. Task context; the caller makes sure that no other thread has
 * this stack.
 */
const struct arch_stack *arch_thread_stack(unsigned number, const char *name);

/* How many pages stacks have taken and keep for the next thread that gets them. Any context. */
size_t arch_stack_pages(void);

/*
 * Puts a first frame on the stack and returns the stack pointer for arch_switch: the first switch
 * to it calls `entry`, with interrupts off, as the outermost function of a call chain. `entry` does
 * not return.
 */
uintptr_t arch_thread_prepare(const struct arch_stack *stack, void (*entry)(void));

/*
 * Pushes the registers that a function call preserves, and the flags, stores the stack pointer in
 * *from, and resumes after the call of arch_switch that stored `to`. Interrupts off, on a task's
 * stack.
 */
void arch_switch(uintptr_t *from, uintptr_t to);

/*
 * A snapshot of the registers of a context that has called arch_switch, for a call chain. Any
 * context.
 */
void arch_switched_regs(uintptr_t sp, struct regs *regs);

/*
 * False inside an interrupt's handler, a debug trap or an NMI: their stacks and the order of their
 * returns belong to the CPU, not to a thread.
 */
bool arch_may_switch(void);

/*
 * `leave` is called after an interrupt's handler has returned, with interrupts off, on the
 * interrupted thread's stack; it may switch. Not called if that stack has no room.
 */
void arch_set_interrupt_exit(void (*leave)(void));
