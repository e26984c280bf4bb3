/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Moves a recording from the rings into the machine's stream. If the stream has a port and the
 * rings are not in overwrite mode, a thread does this while the recording runs; else it happens
 * when the recording has ended, by itself or by its trigger, or in a panic. docs/stream.md gives
 * the reasons.
 *
 * The events that the thread itself raises are counted, not recorded (core/event/event.h): else its
 * own work would produce records without end.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Makes the thread, if the stream has a port. Boot, once threads run. */
void drain_init(void);

/* A recording has started. Task context. */
void drain_start(void);

/*
 * The recording has stopped: returns when all of it has left. If a thread streams it, `progress` is
 * called about once a second until then, with the bytes of the rings that have left and the sum of
 * all bytes; it may be NULL. Task context.
 */
void drain_finish(void (*progress)(unsigned long done, unsigned long total));

/* Checks whether the thread has something to do. Called by the tick, in interrupt context. */
void drain_tick(void);

/*
 * Writes everything that has not left yet, from the point that the thread had reached, if a
 * recording has not been fully handed over. The rings are frozen. Panic context.
 */
void drain_crash(void);

/*
 * Records whose space was given back to the writers after they had left: they are in the stream,
 * and can no longer be read here.
 */
uint64_t drain_given_back(void);
