/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which watched bytes a debugger's step has accessed, on machines where data watches rest during a
 * step (arch_step_excludes_watches): by the instruction that is stepped, and by what has changed.
 * Called by stop_step.c.
 */
#pragma once

#include "arch/regs.h"
#include "arch/watch.h"

#define STOP_ACCESS_TEXT 24 /* bytes that operand_length may read */

struct stop_access {
    uint64_t words[ARCH_WATCHES];   /* the watched words before the step */
    uintptr_t ip;                   /* the instruction; 0: its bytes cannot be read */
    uint64_t count;                 /* rcx before it */
    uint8_t text[STOP_ACCESS_TEXT]; /* its bytes; zeros where there are none */
};

/*
 * That CPU, which is this one or stopped, will run the instruction at regs->ip. In a stop.
 */
void stop_access_prepare(struct stop_access *access, unsigned cpu, const struct regs *regs);

/*
 * Bit i: register i of this CPU, which has run the instruction, watches what it has accessed. Debug
 * trap.
 */
unsigned stop_access_made(const struct stop_access *access, const struct regs *regs);
