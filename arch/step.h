/* SPDX-License-Identifier: BSD-2-Clause */
/* Single-stepping the kernel, for core/event/source_branches.c. In debug traps, unless noted. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct regs;

/*
 * `stepped` is called after each instruction of a stepped context, under the rules of a watch
 * handler, and before the watch handler if a trap has both causes; regs->ip is the next
 * instruction. The trap flag is saved and loaded with the context's other flags, and off in
 * interrupts and exceptions. So `stepped` is called once more after an instruction that clears the
 * flag, for example at a thread switch; and a context may be stepped because it loads flags that it
 * saved during an earlier step. `resumed` is called when an interrupt or exception is about to
 * return to a stepped context, interrupts off; other contexts may have run meanwhile. While
 * `stepped` is NULL, a step is an unexpected exception.
 */
typedef void arch_step_handler(struct regs *regs);
void arch_step_set_handlers(arch_step_handler *stepped, arch_step_handler *resumed);

/*
 * Start or stop stepping this context, in the two handlers or a watch handler. If steps exclude
 * data watches, this CPU's data watches are off during the stepped instruction only.
 */
void arch_step_more(struct regs *regs);
void arch_step_no_more(struct regs *regs);

/*
 * False if the context is a program, is about to return to one, or still has a program's stack
 * pointer: programs are not stepped. In the two handlers or a watch handler.
 */
bool arch_step_possible(const struct regs *regs);

/* Starts stepping the caller. Task context. */
void arch_step_begin(void);

/*
 * Returns the address of the branch that led a stepped context from `from` to `to`: a taken jump,
 * loop, call or return, including one from an interrupt; 0 if there was none. The branch is the
 * instruction at `from`, or the next one if the machine delays the step past an instruction that
 * keeps interrupts off. In a step handler.
 */
uintptr_t arch_step_branch(uintptr_t from, uintptr_t to);

/* True if a step over a watched access fails, so steps and data watches exclude each other. */
bool arch_step_excludes_watches(void);
