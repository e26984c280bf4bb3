/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Output of the machine's stream: a dedicated binary port or, without one, the console, as one
 * base64 block per recording. Task context or panic context.
 */
#pragma once

#include "core/stream/stream.h"

/*
 * Replaces the description of the kernel that the stream would take from arch; it must stay valid.
 * Called before stream_port_set, by a kernel that embeds Pitot.
 */
void stream_port_describe(const struct stream_kernel *with);

/* Sets the binary port; *left counts the bytes it has sent. Called at boot. */
void stream_port_set(struct sink *sink, const uint64_t *left);

/* *left counts the characters the console has sent. Called at boot. */
void stream_block_set(const uint64_t *left);

/* The port's stream, shared by all recordings of this boot; NULL: there is no port. */
struct stream *stream_port(void);

/*
 * Writes the records in the rings to the console as a block, which is a separate stream. A panic
 * also does this if the port's stream cannot be resumed.
 */
void stream_block_write(void);

/*
 * Called when a panic begins: ends a block that is being written, so that a decoder finds the
 * blocks after it.
 */
void stream_block_cut(void);
