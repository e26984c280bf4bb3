/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds which watched bytes a debugger's step accessed, where data watches are off in steps. */
#pragma once

#include "arch/regs.h"
#include "arch/watch.h"

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
