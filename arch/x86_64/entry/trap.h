/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Vectors and their handlers. Handlers run with interrupts off, on the interrupted stack (if that
 * has room).
 */
#pragma once

#include "arch/x86_64/cpu/regs.h"
#include "arch/x86_64/entry/vectors.h"

typedef void trap_handler(struct regs *regs);

/*
 * One handler for each vector; NULL: the vector is unexpected again. At boot, or with interrupts
 * off.
 */
void trap_set_handler(unsigned vector, trap_handler *handler);

/* Called only by trap_entry.asm. */
struct regs *trap_land(struct regs *frame);
void trap_dispatch(struct regs *regs);
void trap_late(struct regs *regs);
_Noreturn void trap_fatal(struct regs *regs);
/*
 * One trap can have several causes: any of B0 to B3 and BS together. debug_trap handles any trap;
 * it returns NULL, or the new place of the frame if trap_dispatch has to tell a program. The second
 * function is for a trap inside the kernel, outside of its entries and exits.
 */
struct regs *debug_trap(struct regs *regs);
void debug_trap_inside(struct regs *regs);
struct regs *break_trap(struct regs *regs);
void nmi_trap(struct regs *regs); /* arch/x86_64/entry/nmi.c */

/*
 * Returns from a debug trap or a #BP from the middle of its handler, after a debugger's stop. If
 * another stop has been requested by then, `late` is called first; it may return. Set with all
 * other CPUs parked.
 */
_Noreturn void watch_return(struct regs *frame); /* arch/x86_64/entry/trap_entry.asm */
void trap_set_late(trap_handler *late);

/* Returns the handler of that vector in *handler; NULL: the vector is unexpected. */
void trap_get_handler(unsigned vector, trap_handler **handler);

/*
 * Called in each exception of a program before it is served, interrupts off; NULL: no handler. With
 * all other CPUs parked.
 */
void trap_set_program_handler(trap_handler *handler);

/*
 * Serves an NMI without a known source: by its vector's handler, or by the report. On the NMI's
 * page.
 */
void trap_nmi(struct regs *regs);

/* The kernel is about to return to a program (arch_user_step_set_handlers). */
void debug_leave(struct regs *regs);

/* A trap is about to return to a context that is stepped (arch_step_set_handlers). */
void debug_resume(struct regs *regs);
