/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Moves a recording from the rings into the machine's stream: by a thread while the recording runs,
 * if the stream has a port and the rings are not in overwrite mode; otherwise after the recording
 * has ended, or in a panic (docs/stream.md). Events raised by the thread are counted but not
 * recorded (core/event/event.h), or draining would produce records without end.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Starts the thread, if the stream has a port. Called at boot, once threads run. */
void drain_init(void);

/* Called when a recording has started. Task context. */
void drain_start(void);

/*
 * Sends the rest of a stopped recording. While the thread does so, calls `progress`, unless NULL,
 * about once a second with the ring bytes sent and their total. Task context.
 */
void drain_finish(void (*progress)(unsigned long done, unsigned long total));

/* Wakes the thread if it has work. Called by the tick, in interrupt context. */
void drain_tick(void);

/* Writes the unsent rest of a recording, if there is one. The rings are frozen. Panic context. */
void drain_crash(void);

/* Number of records given back to the writers once sent: the rings no longer contain them. */
uint64_t drain_given_back(void);
