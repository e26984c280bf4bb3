/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files that implement a debugger's stops share; docs/gdb.md has the design. */
#pragma once

#include <stdbool.h>

#include "arch/debugger.h"
#include "arch/x86_64/cpu/regs.h"

/* The debugger that is attached; NULL: none. Any context. */
const struct arch_debugger *stop_debugger(void);

/*
 * Stops at these registers, in the trap or NMI that has saved them. While a CPU waits for its turn
 * to stop, the reason may disappear: the breakpoint is removed, the debugger has changed the CPU's
 * ip, or an earlier stop has served what this one was requested for. Then the CPU resumes without a
 * stop.
 */
void stop_enter(struct regs *regs, enum arch_stop why);

/*
 * Returns from the trap that came at `ip`. If there is a breakpoint at `ip`, it does not hit again
 * at once; one at the place that the debugger has moved the CPU to does.
 */
_Noreturn void stop_leave(struct regs *regs, uintptr_t ip, bool at_breakpoint);

/*
 * From now on breakpoint instructions and the debugger's line cause stops; or no longer do. With
 * all other CPUs parked.
 */
void stop_break_attach(bool attach);
void stop_line_attach(bool attach);

/* A stop has read all bytes of the line: its NMI may still come, and find none. */
void stop_line_was_read(void);

/*
 * Prepares a stopped CPU to run one instruction when it resumes, without an interrupt. False:
 * nothing has to run, as the step has already been made.
 */
bool stop_step_prepare(unsigned cpu, struct regs *regs);

/* Reads memory as that CPU sees it with these registers: a program's, or the kernel's. */
bool stop_step_read(unsigned cpu, const struct regs *regs, uintptr_t address, uint8_t *to,
                    size_t length);

/*
 * Called after that instruction: makes the flags what the instruction would have left. If data
 * watches had to be off, adds those that it has hit to *fired. False: this CPU was not stepped.
 */
bool stop_step_finish(struct regs *regs, unsigned *fired);

/*
 * Cancels the step of this CPU, or of a stopped one, that has not finished: the CPU was stopped
 * before, or the instruction has trapped. True: `regs` is the stepped context, and its own flags
 * are restored.
 */
bool stop_step_cancel(unsigned cpu, struct regs *regs);

/* A step of that CPU has been prepared, and is neither finished nor cancelled. */
bool stop_step_is_under_way(unsigned cpu);

/*
 * Called in an NMI that asks for a stop where none is possible, with the interrupted registers. If
 * the NMI has interrupted a debug trap or #BP, that trap looks for a requested stop at its end,
 * once more if it has already looked. Elsewhere the stop is requested again.
 */
void stop_look_again(struct regs *regs);
