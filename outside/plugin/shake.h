/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stops CPUs for moments where one depends on others: at calls, at atomic instructions, and after
 * stores to what an atomic instruction has accessed, as locks that are given back. What can happen
 * only if another CPU, or an interrupt, comes just then, happens more often. Called by
 * judges.c.
 */
#pragma once

#include <stdbool.h>

#include "outside/plugin/api.h"
#include "outside/plugin/facts.h"
#include "outside/request.h"

/* `cpus`: the most that the machine may have. False: no memory. */
bool shake_begin(qemu_plugin_id_t id, const struct request *request, unsigned cpus);

/* Registers the callbacks of an instruction that is translated. */
void shake_watch_instruction(const struct instruction *instruction);

/*
 * --- Pauses ---
 *
 * A CPU stops for a moment, so that the others come to what it is in the middle of. Called in the
 * CPU's thread, by race.c too. QEMU may hold a lock of its own there, so a pause never waits for
 * good for what another CPU does.
 */

/* The most CPUs that the machine may have. A second time it does nothing. */
void pause_begin(qemu_plugin_id_t id, unsigned count);

/* True if another CPU runs. */
bool pause_helps(unsigned cpu);

/*
 * Returns when the other CPUs have executed so many instructions, or after some milliseconds;
 * false: they have executed none. Must be called without the plugin's lock, as pause_sleep.
 */
bool pause_now(unsigned cpu, uint64_t instructions);

/* Returns after so many nanoseconds: devices interrupt meanwhile. */
void pause_sleep(unsigned cpu, uint64_t nanoseconds);

/* A CPU's first state of the sequence that the user's seed begins. */
uint64_t pause_seed(uint64_t seed, unsigned cpu);

/* The next number of a sequence; `seed` is its state, not 0. */
uint64_t pause_random(uint64_t *seed);
