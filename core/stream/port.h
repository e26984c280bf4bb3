/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where the machine's stream goes: a binary port of its own, or, where there is none, a base64
 * block on the console for each recording. Task context, and a panic's.
 */
#pragma once

#include "core/stream/stream.h"

/* The binary port; *left counts the bytes that it has sent. Boot. */
void stream_port_set(struct sink *sink, const uint64_t *left);

/* *left counts the characters that the console has sent. Boot. */
void stream_block_set(const uint64_t *left);

/* The port's stream, one for all recordings of the boot; NULL where there is no port. */
struct stream *stream_port(void);

/*
 * Writes the records that are in the rings as a block on the console, a stream of its own. A panic
 * does that as well if the port's stream cannot be resumed.
 */
void stream_block_write(void);

/* A panic begins: a block that is being written ends here, so that those after it can be found. */
void stream_block_cut(void);
