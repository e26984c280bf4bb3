/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The places where tests/kernel/sweep_suite.c sets breakpoints: every function and an instruction
 * inside it, every word of the kernel's data (of large objects, every part), every page of the
 * threads' stacks, and the page tables. Also the places that no breakpoint may watch, read from the
 * processors' own registers. Task context.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/watch.h"

enum sweep_kind {
    SWEEP_FUNCTION,
    SWEEP_INSTRUCTION,
    SWEEP_DATA,
    SWEEP_STACK,
    SWEEP_PAGE_TABLE,
    SWEEP_KINDS,
};

struct sweep_place {
    enum sweep_kind kind;
    const char *name; /* of the symbol, or of the stack's thread */
    uintptr_t address;
    uint8_t length;
    enum arch_access access;
    bool ordinary; /* a breakpoint must be possible there */
};

typedef void sweep_visit(const struct sweep_place *place);

/* Visits all places, always in the same order as long as the same threads exist. */
void sweep_places(sweep_visit *visit);

/* Memory that traps use while watches are armed, as [start, start + length) for each CPU. */
struct sweep_range {
    const char *name;
    uintptr_t start;
    size_t length;
};

#define SWEEP_RANGES 12 /* five, and at most seven stacks of the TSS */

/* The ranges of the calling CPU, from its registers; returns how many. */
unsigned sweep_forbidden(struct sweep_range *ranges);
