/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Single steps of the kernel. Policy (which thread is stepped, what for) is
 * core/event/branches.c's. In debug traps, but where it says otherwise.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct regs;

/*
 * Called after each instruction of a context that is stepped: regs->ip is the next one. Runs as a
 * watch handler does, and before it where both have a reason. Being stepped is a flag among the
 * context's others: it is off in interrupts and exceptions that come upon it and on again when they
 * return, and it goes with flags that are saved and loaded. So after an instruction that takes it
 * away, a switch to another thread say, the handler is called once more; and a context may be
 * stepped because it saved its flags in a time that is over. `resumed` is called when an interrupt
 * or exception is about to return to a context that was stepped, others may have run meanwhile:
 * interrupts off, watches as they are. NULL: a step is an unexpected exception.
 */
typedef void arch_step_handler(struct regs *regs);
void arch_step_set_handlers(arch_step_handler *stepped, arch_step_handler *resumed);

/*
 * The context whose trap frame that is, is stepped from its next instruction on; or is not any
 * more. In these two, or a watch handler. On a machine where steps and data watches exclude each
 * other, those of this CPU rest for that one instruction: not in what comes upon it, nor after it.
 */
void arch_step_more(struct regs *regs);
void arch_step_no_more(struct regs *regs);

/*
 * False: the context is a program's, or its next instruction leads to a program, or its stack
 * pointer is still one's. Programs are not stepped. In these two, or a watch handler.
 */
bool arch_step_possible(const struct regs *regs);

/* The caller is stepped from here on. Task context. */
void arch_step_begin(void);

/*
 * The instruction that led a stepped context from `from` to `to` by a branch: a jump, taken, a
 * loop, a call, a return, from an interrupt too. It is the one at `from`, or, where the machine
 * holds a step back after one that keeps interrupts off for one more, the one after it. 0: none
 * did. In a step handler.
 */
uintptr_t arch_step_branch(uintptr_t from, uintptr_t to);

/*
 * True on a machine that loses its way where a stepped instruction makes a watched access: data
 * watches and steps exclude each other there. Any context.
 */
bool arch_step_excludes_watches(void);
