/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where the machine's stream goes: to a binary port of its own, or, if there is none, to the
 * console as one base64 block for each recording. Task context, and a panic's.
 */
#pragma once

#include "core/stream/stream.h"

/*
 * What the stream says of the kernel, in place of what arch and its CPUs do; it stays. Before
 * stream_port_set; for a kernel that embeds Pitot.
 */
void stream_port_describe(const struct stream_kernel *with);

/* The binary port; *left counts the bytes that it has sent. Boot. */
void stream_port_set(struct sink *sink, const uint64_t *left);

/* *left counts the characters that the console has sent. Boot. */
void stream_block_set(const uint64_t *left);

/* The stream of the port, one for all recordings of the boot; NULL: there is no port. */
struct stream *stream_port(void);

/*
 * Writes the records that are in the rings as a block on the console, a stream of its own. A panic
 * does that as well if the port's stream cannot be resumed.
 */
void stream_block_write(void);

/*
 * Called when a panic begins: ends a block that is being written, so that a reader finds the blocks
 * after it.
 */
void stream_block_cut(void);
