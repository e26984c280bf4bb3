/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds the watched bytes that a debugger's step has accessed, on machines where data watches are
 * off during a step (arch_step_excludes_watches): decodes the stepped instruction, and compares the
 * watched bytes before and after it. Called by stop_step.c.
 */
#pragma once

#include "arch/regs.h"
#include "arch/watch.h"

#define STOP_ACCESS_TEXT 24 /* bytes that operand_length may read */

struct stop_access {
    uint64_t words[ARCH_WATCHES];   /* the watched words before the step */
    uintptr_t ip;                   /* the stepped instruction */
    uint64_t count;                 /* rcx before the step */
    uint8_t text[STOP_ACCESS_TEXT]; /* its bytes; zeros where it cannot be read */
};

/*
 * Called in a stop, before `cpu` (this CPU or another stopped one) runs the instruction at
 * regs->ip.
 */
void stop_access_prepare(struct stop_access *access, unsigned cpu, const struct regs *regs);

/*
 * Called on this CPU after the step. Bit i: the instruction accessed bytes that register i watches.
 * Debug trap.
 */
unsigned stop_access_made(const struct stop_access *access, const struct regs *regs);
