/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared by the files that implement a debugger's stops; docs/gdb.md has the design. */
#pragma once

#include <stdbool.h>

#include "arch/debugger.h"
#include "arch/x86_64/cpu/regs.h"

/* The attached debugger; NULL: none. Any context. */
const struct arch_debugger *stop_debugger(void);

/*
 * Stops at these registers, in the trap or NMI that saved them. While the CPU waits for its turn to
 * stop, the reason may disappear: the breakpoint is removed, the debugger changes the CPU's ip, or
 * an earlier stop serves the same request. The CPU then resumes without a stop.
 */
void stop_enter(struct regs *regs, enum arch_stop why);

/*
 * Returns from the trap taken at `ip`. A breakpoint at `ip` does not hit again at once; if the
 * debugger has moved the CPU to another address, a breakpoint there does.
 */
_Noreturn void stop_leave(struct regs *regs, uintptr_t ip, bool at_breakpoint);

/*
 * Enable or disable stops by breakpoint instructions and by the debugger's line. With all other
 * CPUs parked.
 */
void stop_break_attach(bool attach);
void stop_line_attach(bool attach);

/* A stop has read all bytes from the line; the line's NMI may still arrive and find none. */
void stop_line_was_read(void);

/*
 * Prepares a stopped CPU to run one instruction, without interrupts, when it resumes. False: the
 * step is complete already, nothing has to run.
 */
bool stop_step_prepare(unsigned cpu, struct regs *regs);

/* Reads memory as `cpu` sees it in the context `regs`: the program's or the kernel's. */
bool stop_step_read(unsigned cpu, const struct regs *regs, uintptr_t address, uint8_t *to,
                    size_t length);

/*
 * Called after the stepped instruction: sets the flags to what it would have left by itself. If
 * data watches had to be off, adds those that the instruction hit to *fired. False: this CPU was
 * not stepped.
 */
bool stop_step_finish(struct regs *regs, unsigned *fired);

/*
 * Cancels an unfinished step of this CPU or of a stopped one: the CPU was stopped first, or the
 * instruction has trapped. True: `regs` is the stepped context, and its own flags are restored.
 */
bool stop_step_cancel(unsigned cpu, struct regs *regs);

/* True if a step of that CPU has been prepared and neither finished nor cancelled. */
bool stop_step_is_under_way(unsigned cpu);

/*
 * Called with the interrupted registers, in an NMI that requests a stop where this CPU cannot stop.
 * If the NMI has interrupted a debug trap or #BP, that trap checks for a requested stop at its end,
 * again if it has already checked. Otherwise the stop is requested again later.
 */
void stop_look_again(struct regs *regs);
