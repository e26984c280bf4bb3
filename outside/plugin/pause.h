/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A CPU stops for a moment, so that the others come to what it is in the middle of. Called by
 * outside/plugin/race.c and run.c, in the CPU's thread. QEMU may hold a lock of its own there, so a
 * pause never waits for good for what another CPU does.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "outside/plugin/api.h"

/* Once, the most CPUs that the machine may have. */
void pause_begin(qemu_plugin_id_t id, unsigned count);

/* True if another CPU runs. */
bool pause_helps(unsigned cpu);

/*
 * Returns when the other CPUs have executed some thousand instructions, or after some milliseconds;
 * false: they have executed none. Must be called without the plugin's lock.
 */
bool pause_now(unsigned cpu);

/* The next number of a sequence; `seed` is its state, not 0. */
uint64_t pause_random(uint64_t *seed);
