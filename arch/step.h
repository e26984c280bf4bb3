/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Single-stepping the kernel. core/event/source_branches.c decides which thread is stepped, and
 * why. Called in debug traps, unless stated otherwise.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct regs;

/*
 * `stepped` is called after each instruction of a stepped context; regs->ip is the next
 * instruction. It runs under the same rules as a watch handler, and before the watch handler if a
 * trap has both causes. The trap flag is one of the context's flags: it is off in interrupts and
 * exceptions that preempt the context and on again when they return, and it is saved and loaded
 * with the other flags. So after an instruction that clears the flag, for example at a switch to
 * another thread, the handler is called once more; and a context may be stepped because it loads
 * flags that it saved while it was stepped earlier. `resumed` is called when an interrupt or
 * exception is about to return to a stepped context; other contexts may have run meanwhile.
 * Interrupts are off; watches keep their state. NULL: a step is an unexpected exception.
 */
typedef void arch_step_handler(struct regs *regs);
void arch_step_set_handlers(arch_step_handler *stepped, arch_step_handler *resumed);

/*
 * Start or stop stepping the context of this trap frame, from its next instruction on. Called in
 * the two handlers above, or in a watch handler. On a machine where steps and data watches exclude
 * each other, this CPU's data watches are off during the stepped instruction, but not in code that
 * interrupts it, nor after it.
 */
void arch_step_more(struct regs *regs);
void arch_step_no_more(struct regs *regs);

/*
 * False if the context is a program, or its next instruction returns to a program, or its stack
 * pointer is still a program's. Programs are not stepped. Called in the two handlers above, or in a
 * watch handler.
 */
bool arch_step_possible(const struct regs *regs);

/* Starts stepping the caller. Task context. */
void arch_step_begin(void);

/*
 * The address of the branch that led a stepped context from `from` to `to`: a taken jump, a loop, a
 * call, or a return, including one from an interrupt. This is the instruction at `from`, or the one
 * after it if the machine delays the step past an instruction that keeps interrupts off for one
 * more. 0: no branch. In a step handler.
 */
uintptr_t arch_step_branch(uintptr_t from, uintptr_t to);

/*
 * True on a machine that misbehaves when a stepped instruction makes a watched access: there data
 * watches and steps exclude each other. Any context.
 */
bool arch_step_excludes_watches(void);
