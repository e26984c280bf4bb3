/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The last calls and interrupts of each CPU, in a ring. Called by outside/plugin/run.c for
 * `pitot last`. One caller at a time.
 */
#pragma once

#include <stdint.h>

/* The number kept per CPU; 0: none. */
void last_init(uint32_t length);

/* A callee or handler begins at `ip`; the CPU has executed `time` instructions. */
void last_begins(unsigned cpu, uint64_t ip, uint64_t time);

/* At the end: reports the CPU and its last calls; its last block is at `ip`. */
void last_tell(unsigned cpu, uint64_t ip, uint64_t time);
