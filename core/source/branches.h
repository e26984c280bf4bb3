/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The source of `branches`: one thread is stepped, instruction by instruction, and each branch that
 * it takes is a hit: ip is where it stood, addr where it led. What is stepped is a window: the
 * workload, or what follows each hit of a breakpoint that opens it, to its end or for so many
 * instructions. Each CPU has one. With `u` programs are stepped instead, in user mode:
 * kernel/user/process_steps.c. docs/branches.md.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct regs;

/*
 * A breakpoint that opens the window was hit by what has these registers: it is stepped from here
 * on, and if it was already, the window's instructions are counted anew. Debug trap.
 */
void branches_open(struct regs *regs);

/*
 * The workload begins, in this thread, and has ended. Nothing happens where no event wants it.
 * Task context.
 */
void branches_workload_begin(void);
void branches_workload_end(void);

/*
 * Whether the program that this CPU runs is stepped; and that one has come from `from` to where it
 * stands by a branch, or 0: by none. Debug trap, or interrupts off.
 */
bool branches_of_program_wanted(void);
void branches_of_program(uintptr_t from, const struct regs *regs);

/* Since the last event began: instructions stepped, and windows opened by a breakpoint. */
struct branches_counts {
    uint64_t steps, windows;
};
struct branches_counts branches_counts(void);
