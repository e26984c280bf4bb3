/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where tests/kernel/sweep_suite.c sets breakpoints: on every function and on an instruction inside
 * it, on every word of the kernel's data (of large objects, of every part), in every page of the
 * stacks of threads, and in the page tables. And the places that no breakpoint may watch, read from
 * the processors' own registers. Task context.
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
    const char *name; /* of the symbol, or the thread whose stack it is */
    uintptr_t address;
    uint8_t length;
    enum arch_access access;
    bool ordinary; /* a breakpoint there has to be possible */
};

typedef void sweep_visit(const struct sweep_place *place);

/* All places, always in the same order as long as the same threads are there. */
void sweep_places(sweep_visit *visit);

/* Memory that traps use while watches are armed, as [start, start + length) of each CPU. */
struct sweep_range {
    const char *name;
    uintptr_t start;
    size_t length;
};

#define SWEEP_RANGES 12 /* five, and the stacks of the TSS, at most seven */

/* Those of the CPU that calls, from its registers; returns how many. */
unsigned sweep_forbidden(struct sweep_range *ranges);
