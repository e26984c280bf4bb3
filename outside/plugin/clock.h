/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The instructions that each CPU has executed, counted as each block of code begins; the samples
 * that are due; and where each CPU is. From QEMU 9.2 on translated code counts by itself, and calls
 * back only when something is due; before, each block calls back.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "outside/plugin/api.h"

/* Code that runs from its first instruction to its last, unless one traps. */
struct block {
    uint64_t start, end; /* end: the byte after it */
    uint32_t count;      /* instructions */
};

/* Once, before the machine of at most so many CPUs runs. False: no memory. */
bool clock_begin(unsigned cpus);

/* The CPU begins; before it runs. */
void clock_cpu(unsigned cpu);

/* Counts a block; `block` stays valid for as long as QEMU runs. */
void clock_watch(struct qemu_plugin_tb *translated, const struct block *block);

/*
 * Must be called before the other functions for this CPU where no translated code has called back:
 * its counters may have moved.
 */
void clock_find(unsigned cpu);

/*
 * Instructions that this CPU, or all, have executed, with all of the current block. Of all: what a
 * CPU did before it asked, and another one saw before that asked, has made the second answer no
 * less. Each counts before a block runs, so the first answer has no more than the counts that the
 * second one finds: on an x86 host stores, and loads, are seen in order.
 */
uint64_t clock_time(unsigned cpu);
uint64_t clock_sum(void);

/* Where the CPU's last block began; 0: it has run none. */
uint64_t clock_place(unsigned cpu);

/* The CPU's next block is the first one of a callee or handler: run_begins is called. */
void clock_expect(unsigned cpu);

/* True after clock_expect, until that block. */
bool clock_expects(unsigned cpu);

/*
 * Before QEMU 9.2: true if the CPU is in a block whose last instruction, which ends at `end`, has
 * not accessed memory before. Counts the access.
 */
bool clock_first_access(unsigned cpu, uint64_t end);
