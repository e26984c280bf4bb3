/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The machine's stream, on a binary port or in base64 on the console (port.c), and what moves a
 * recording from the rings into it (drain.c): a thread while the recording runs, if the stream has
 * a port and the rings are not in overwrite mode; otherwise the end of the recording, or a panic
 * (docs/stream.md). Events raised by the thread are counted but not recorded (core/event/event.h),
 * or draining would produce records without end.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/pitot_boot.h"
#include "core/stream/stream.h"

/* --- The stream. Task or panic context. --- */

/* Replaces arch's description of the kernel, in another kernel. Called before stream_port_set. */
void stream_port_describe(const struct stream_kernel *with);

/* The port's stream, shared by all recordings of this boot; NULL without a port. */
struct stream *stream_port(void);

/* Writes the rings' records to the console, as a block with its own stream. Panics call it too. */
void stream_block_write(void);

/* Called when a panic begins: ends an unfinished block, so that decoders find the next one. */
void stream_block_cut(void);

/* --- The drain. --- */

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
