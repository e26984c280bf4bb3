/* SPDX-License-Identifier: BSD-2-Clause */
/* A debugger's stops, between the files that make them; docs/gdb-stub.md has the design. */
#pragma once

#include <stdbool.h>

#include "arch/debugger.h"
#include "arch/x86_64/cpu/regs.h"

/* The debugger that is attached; NULL: none. Any context. */
const struct arch_debugger *stop_debugger(void);

/*
 * A stop at these registers, in the trap or NMI that has them. A CPU whose reason has gone while it
 * waited for its turn resumes without: a breakpoint that is no more, or the debugger has moved it.
 */
void stop_enter(struct regs *regs, enum arch_stop why);

/*
 * Back from that trap, which came upon `ip`. Its own breakpoint, if it was at one, shall not hit
 * again at once; another one's, where it was moved to, shall.
 */
_Noreturn void stop_leave(struct regs *regs, uintptr_t ip, bool at_breakpoint);

/*
 * From now on breakpoint instructions, and the debugger's line, stop; or no more. With all other
 * CPUs parked.
 */
void stop_break_attach(bool attach);
void stop_line_attach(bool attach);

/* A stop has read the line up to now: an NMI of the line may yet come that finds no bytes. */
void stop_line_was_read(void);

/*
 * That CPU, which stands still, will make one instruction when it resumes, with no interrupt in it.
 * False: nothing is to run, the step has been made.
 */
bool stop_step_prepare(unsigned cpu, struct regs *regs);

/*
 * After that instruction: the flags are as it would have left them. Adds to *fired what its
 * accesses have changed, where data watches had to rest. False: this CPU was not stepped.
 */
bool stop_step_finish(struct regs *regs, unsigned *fired);

/*
 * That CPU, this one or one that stands still, has not come to that: it was stopped before, or the
 * instruction has trapped. True: `regs` is what was stepped, and its flags are its own again.
 */
bool stop_step_cancel(unsigned cpu, struct regs *regs);

/* A step of that CPU has been prepared, and is neither finished nor cancelled. */
bool stop_step_is_under_way(unsigned cpu);

/*
 * In an NMI, with the registers that it came upon, which asks for a stop where none can be made: if
 * it has come upon a debug trap or a breakpoint's, that looks for what is due at its end, and again
 * if it has looked. Elsewhere the stop is asked for again.
 */
void stop_look_again(struct regs *regs);
