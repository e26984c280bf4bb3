/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The source of `branches`: single-steps one thread and reports each taken branch as a hit, with
 * the branch as ip and its target as addr. Each CPU steps one window at a time: the workload, or
 * the code after each hit of a breakpoint, either without limit or for a number of instructions.
 * With `u`, programs are stepped instead (core/event/program_steps.c). See docs/sources.md.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct event_spec;
struct refusal;
struct regs;

/* Opens the window at a breakpoint's hit, or restarts its instruction count. Debug trap. */
void branches_open(struct regs *regs);

/* Called in the workload's thread; no effect unless an event steps the workload. Task context. */
void branches_workload_begin(void);
void branches_workload_end(void);

/* Called at boot: lets programs be stepped, if the kernel gives `thread_step`. */
void branches_step_programs(void);

/*
 * Refuses a data watch beside `branches` where a step over a watched access fails. `program`:
 * programs are stepped, so only their own data. Task context.
 */
int branches_check_beside(const struct event_spec *event, bool program, struct refusal *why);

/* True if the program that runs on this CPU is to be stepped. Debug trap, or interrupts off. */
bool branches_of_program_wanted(void);

/*
 * Called when a program has been stepped to regs->ip. `from`: the branch that led there, or 0 if
 * none did. Context as above.
 */
void branches_of_program(uintptr_t from, const struct regs *regs);

/*
 * Instructions stepped, and windows opened by a breakpoint, since a branches event was last
 * enabled.
 */
struct branches_counts {
    uint64_t steps, windows;
};
struct branches_counts branches_counts(void);
