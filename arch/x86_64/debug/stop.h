/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared by the files of a debugger's stops (docs/gdb.md). */
#pragma once

#include <stdbool.h>

#include "arch/debugger.h"
#include "arch/regs.h"
#include "arch/watch.h"

/* Returns NULL if no debugger is attached. Any context. */
const struct arch_debugger *stop_debugger(void);

/*
 * Stops in the trap or NMI that saved `regs`, unless the reason is gone when it is this CPU's turn.
 */
void stop_enter(struct regs *regs, enum arch_stop why);

/*
 * Called last in a stop of a trap taken at `ip`: prepares the return to `regs`, where, if
 * at_breakpoint, a breakpoint does not hit again.
 */
void stop_settle(struct regs *regs, uintptr_t ip, bool at_breakpoint);

/* Reads the line. Stops this CPU or, if it is parked, the CPU that runs alone. On the boot CPU. */
void stop_hear(void);

/*
 * The last time at which a stop or stop_hear may have read the line: an interrupt that the same
 * bytes have raised may arrive later.
 */
uint64_t stop_heard_at(void);

/* --- By the kernel's entries: stop_entries.c, or arch/embed/debugger.c. --- */

/*
 * Stops at the end of this debug trap, after the handler that calls it, by stop_enter and
 * stop_settle. May do so at once and not return; the caller does nothing after it.
 */
void stop_at_end(struct regs *regs, enum arch_stop why, bool at_breakpoint);

/*
 * From now on the entries call `late` at the end of traps during which a stop was requested, and
 * take the debugger's line and its breakpoint instructions; NULL: no more. With all other CPUs
 * parked.
 */
void stop_entries_attach(void (*late)(struct regs *regs));

/*
 * Prepares a stopped CPU's step of one instruction, without interrupts. Returns false if the
 * instruction was emulated, so that the step is already complete.
 */
bool stop_step_prepare(unsigned cpu, struct regs *regs);

/* Reads memory in the context `regs` of `cpu`: the program's or the kernel's. */
bool stop_step_read(unsigned cpu, const struct regs *regs, uintptr_t address, uint8_t *to,
                    size_t length);

/*
 * Called after the stepped instruction: sets the flags that it would have left without the step
 * and, if data watches had to be off, adds those that it hit to *fired. Returns false if this CPU
 * was not stepped.
 */
bool stop_step_finish(struct regs *regs, unsigned *fired);

/*
 * Cancels an unfinished step of this CPU or a stopped one, because the CPU stopped or the
 * instruction trapped. Returns true if `regs` is the stepped context; its own flags are then
 * restored.
 */
bool stop_step_cancel(unsigned cpu, struct regs *regs);

/* True if a step of that CPU is neither finished nor cancelled. */
bool stop_step_is_under_way(unsigned cpu);

/*
 * The next instruction is a step of the caller's own, whose interrupts are off meanwhile, and
 * otherwise as in `flags`.
 */
void stop_step_here(uint64_t flags);

/*
 * Called in an NMI that asks this CPU to stop while it cannot. Makes an interrupted debug trap or
 * #BP check for the request at its end, even if it has already checked; in all other cases the stop
 * is requested again later.
 */
void stop_look_again(struct regs *regs);

/*
 * --- Which watched bytes a step accessed, where data watches are off in steps: stop_access.c. ---
 */

#define STOP_ACCESS_TEXT 24 /* bytes that operand_length may read */

struct stop_access {
    uint64_t words[ARCH_WATCHES];   /* the watched words before the step */
    struct regs before;             /* the registers before the step */
    uint8_t text[STOP_ACCESS_TEXT]; /* the instruction's bytes; 0 where unreadable */
};

/* In a stop, before `cpu` runs the instruction at regs->ip. */
void stop_access_prepare(struct stop_access *access, unsigned cpu, const struct regs *regs);

/*
 * Called after the step, on its CPU. Bit i is set if it accessed bytes of register i. Debug trap.
 */
unsigned stop_access_made(const struct stop_access *access, const struct regs *regs);
