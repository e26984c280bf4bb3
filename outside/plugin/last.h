/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The last calls and interrupts of each CPU, in a ring. Called by outside/plugin/run.c for
 * `pitot last`. One caller at a time.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Sets the number of calls kept per CPU; 0: none. */
void last_init(uint32_t length);

struct last_interrupt {
    int32_t vector; /* -1: not known */
    uint32_t error;
};

/*
 * A callee or handler begins at `ip`, NULL or by this interrupt; the CPU has executed `time`
 * instructions.
 */
void last_begins(unsigned cpu, uint64_t ip, uint64_t time, const struct last_interrupt *interrupt);

/*
 * Must be called at the end: reports the CPU, whose last block is at `ip`, and its last calls.
 * `called`: this block has called what has not begun.
 */
void last_tell(unsigned cpu, uint64_t ip, uint64_t time, bool called);
