/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The source of `branches`: single-steps one thread and reports each taken branch as a hit, with
 * the branch as ip and its target as addr. The stepped stretch of execution is called a window:
 * either the workload, or the code after each hit of a breakpoint that opens the window, without
 * limit or for a number of instructions. Each CPU has one window. With `u`, programs are stepped in
 * user mode instead: kernel/user/process_steps.c. See docs/sources.md.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct regs;

/*
 * Opens the window for the code with these registers, which has hit a breakpoint and is stepped
 * from here on. If the window is already open, its instruction count restarts at 0. Debug trap.
 */
void branches_open(struct regs *regs);

/*
 * Called when the workload begins in this thread, and when it has ended. No effect unless an event
 * steps the workload. Task context.
 */
void branches_workload_begin(void);
void branches_workload_end(void);

/* True if the program that runs on this CPU is to be stepped. Debug trap, or interrupts off. */
bool branches_of_program_wanted(void);

/*
 * Reports that the program has reached its current ip by the branch at `from`; 0: without a branch.
 * Debug trap, or interrupts off.
 */
void branches_of_program(uintptr_t from, const struct regs *regs);

/* Instructions stepped, and windows opened by a breakpoint, since the last event began. */
struct branches_counts {
    uint64_t steps, windows;
};
struct branches_counts branches_counts(void);
