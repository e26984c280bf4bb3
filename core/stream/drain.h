/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Moves a recording from the rings into the machine's stream. If the stream has a port and the
 * rings are not in overwrite mode, a thread does this while the recording runs. Otherwise it
 * happens after the recording has ended, by itself or by its trigger, or in a panic. docs/stream.md
 * gives the reasons.
 *
 * Events raised by the thread itself are counted but not recorded (core/event/event.h); otherwise
 * draining would produce records without end.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Starts the thread, if the stream has a port. Called at boot, once threads run. */
void drain_init(void);

/* Called when a recording has started. Task context. */
void drain_start(void);

/*
 * Called when the recording has stopped; returns when all of it has been sent. If a thread streams
 * it, `progress` is called about once a second meanwhile, with the ring bytes sent and their total;
 * it may be NULL. Task context.
 */
void drain_finish(void (*progress)(unsigned long done, unsigned long total));

/* Checks whether the thread has work. Called by the tick, in interrupt context. */
void drain_tick(void);

/*
 * Writes the unsent rest of a recording, if there is one, starting where the thread stopped. The
 * rings are frozen. Panic context.
 */
void drain_crash(void);

/*
 * Number of records that were sent and then given back to the writers: they are in the stream but
 * can no longer be read here.
 */
uint64_t drain_given_back(void);
