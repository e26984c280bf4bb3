/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Vectors and their handlers. Handlers run with interrupts off, on the interrupted stack if that
 * has room.
 */
#pragma once

#include "arch/x86_64/cpu/regs.h"
#include "arch/x86_64/entry/vectors.h"

typedef void trap_handler(struct regs *regs);

/*
 * Sets the handler of a vector and returns the previous one; NULL: the vector is unexpected. At
 * boot, or with interrupts off.
 */
trap_handler *trap_set_handler(unsigned vector, trap_handler *handler);

/* Called only by trap_entry.asm. */
struct regs *trap_land(struct regs *frame);
void trap_dispatch(struct regs *regs);
void trap_late(struct regs *regs);
_Noreturn void trap_fatal(struct regs *regs);
/*
 * One trap can have several causes: any of B0 to B3 and BS together. debug_trap handles any trap;
 * it returns NULL, or the new address of the frame if trap_dispatch has to pass the trap to a
 * program. debug_trap_inside is for a trap inside the kernel, outside of its entries and exits.
 */
struct regs *debug_trap(struct regs *regs);
void debug_trap_inside(struct regs *regs);
struct regs *break_trap(struct regs *regs);
void nmi_trap(struct regs *regs); /* arch/x86_64/entry/nmi.c */

/*
 * Returns from a debug trap or a #BP from the middle of its handler, after a debugger's stop. If
 * another stop has been requested by then, `late` is called first; it may return. `late` is set
 * with all other CPUs parked.
 */
_Noreturn void watch_return(struct regs *frame); /* arch/x86_64/entry/trap_entry.asm */
void trap_set_late(trap_handler *late);

/*
 * Sets a handler called in each exception of a program before the exception is served, interrupts
 * off; NULL: no handler. With all other CPUs parked.
 */
void trap_set_program_handler(trap_handler *handler);

/*
 * Handles an NMI of unknown source: calls the handler of regs->vector, or reports the NMI. On the
 * NMI's page.
 */
void trap_nmi(struct regs *regs);

/*
 * If an interrupt's frame is in a gate (arch/x86_64/cpu/site.h) that has not turned interrupts off
 * yet, moves it back to the call of the gate. Before the interrupt's handler.
 */
void gate_back_out(struct regs *regs);

/* Called when the kernel is about to return to a program (arch_user_step_set_handlers). */
void debug_leave(struct regs *regs);

/* Called when a trap is about to return to a stepped context (arch_step_set_handlers). */
void debug_resume(struct regs *regs);
