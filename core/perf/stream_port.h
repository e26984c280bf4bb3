/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where the machine's stream goes: a binary port of its own, or, where there is none, a base64
 * block on the console for each recording. Task context.
 */
#pragma once

#include "core/perf/stream.h"

/* The binary port. Boot. */
void stream_port_set(struct sink *sink);

/* Writes the last recording to wherever the stream goes. */
void stream_port_write_recording(void);
