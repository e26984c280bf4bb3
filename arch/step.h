/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Single steps of the kernel. core/event/source_branches.c decides which thread is stepped, and
 * why. Called in debug traps, unless it says otherwise.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct regs;

/*
 * Called after each instruction of a stepped context: regs->ip is the next one. Runs under the same
 * rules as a watch handler, and before it if both have a reason. The trap flag is one of the
 * context's flags: it is off in interrupts and exceptions that preempt the context, and on again
 * when they return; and it is saved and loaded with the other flags. So after an instruction that
 * clears it, for example at a switch to another thread, the handler is called once more; and a
 * context may be stepped because it loads flags that it saved while it was stepped earlier.
 * `resumed` is called when an interrupt or exception is about to return to a stepped context;
 * others may have run meanwhile. Interrupts are off, watches are as they are. NULL: a step is an
 * unexpected exception.
 */
typedef void arch_step_handler(struct regs *regs);
void arch_step_set_handlers(arch_step_handler *stepped, arch_step_handler *resumed);

/*
 * From its next instruction on, the context of this trap frame is stepped; or it is no longer
 * stepped. Called in these two handlers, or in a watch handler. On a machine where steps and data
 * watches exclude each other, this CPU's data watches are off during that one instruction: not in
 * code that interrupts it, nor after it.
 */
void arch_step_more(struct regs *regs);
void arch_step_no_more(struct regs *regs);

/*
 * False if the context is a program, or its next instruction returns to a program, or its stack
 * pointer is still a program's. Programs are not stepped. Called in these two handlers, or in a
 * watch handler.
 */
bool arch_step_possible(const struct regs *regs);

/* From here on the caller is stepped. Task context. */
void arch_step_begin(void);

/*
 * The branch that led a stepped context from `from` to `to`: a taken jump, a loop, a call, a
 * return, also from an interrupt. It is the instruction at `from`; or the one after it, if the
 * machine delays the step of an instruction that keeps interrupts off for one more. 0: it was no
 * branch. In a step handler.
 */
uintptr_t arch_step_branch(uintptr_t from, uintptr_t to);

/*
 * True on a machine that loses its way if a stepped instruction makes a watched access: there data
 * watches and steps exclude each other. Any context.
 */
bool arch_step_excludes_watches(void);
