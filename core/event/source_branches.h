/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The source of `branches`: one thread is stepped, instruction by instruction, and each branch that
 * it takes is a hit: ip is the branch, addr its target. What is stepped is called a window: the
 * workload; or what follows each hit of a breakpoint that opens the window, to the end or for a
 * number of instructions. Each CPU has one. With `u` programs are stepped instead, in user mode:
 * kernel/user/process_steps.c. docs/sources.md.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct regs;

/*
 * Code with these registers has hit a breakpoint that opens the window: it is stepped from here on.
 * If it was already stepped, the window's instructions are counted from 0 again. Debug trap.
 */
void branches_open(struct regs *regs);

/*
 * The workload begins in this thread; and it has ended. Without effect if no event wants it. Task
 * context.
 */
void branches_workload_begin(void);
void branches_workload_end(void);

/*
 * The first tells whether the program that runs on this CPU is to be stepped. The second reports
 * that it has come to its present ip by the branch at `from`; 0: by none. Debug trap, or interrupts
 * off.
 */
bool branches_of_program_wanted(void);
void branches_of_program(uintptr_t from, const struct regs *regs);

/*
 * Since the last event began: how many instructions were stepped, and how many windows were opened
 * by a breakpoint.
 */
struct branches_counts {
    uint64_t steps, windows;
};
struct branches_counts branches_counts(void);
