/* SPDX-License-Identifier: BSD-2-Clause */
/* The machine's stream, on a binary port or in base64 on the console. Task or panic context. */
#pragma once

#include "core/stream/stream.h"

/* Replaces arch's description of the kernel, in another kernel. Called before stream_port_set. */
void stream_port_describe(const struct stream_kernel *with);

/* Sets the binary port; *left counts the bytes it has sent. Called at boot. */
void stream_port_set(struct sink *sink, const uint64_t *left);

/* *left counts the characters the console has sent. Called at boot. */
void stream_block_set(const uint64_t *left);

/* The port's stream, shared by all recordings of this boot; NULL without a port. */
struct stream *stream_port(void);

/* Writes the rings' records to the console, as a block with its own stream. Panics call it too. */
void stream_block_write(void);

/* Called when a panic begins: ends an unfinished block, so that decoders find the next one. */
void stream_block_cut(void);
