/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Parses the place in an event's spelling (core/symbols/place.h), in the kernel or in the program
 * named before it. The functions advance the cursor and return 0, or a negative errno and the
 * reason. Task context.
 */
#pragma once

#include <stdint.h>

#include "core/event/spec.h"
#include "core/event/spelling.h"
#include "core/symbols/place.h"

/* Reads "/PATH:", if present. */
int place_read_program(struct spelling *cursor, struct event_spec *spec);

int place_read_spelt(struct spelling *cursor, struct place *place);

/* Reads "/LEN", up to `most` bytes; *length is 0 if there is none. */
int place_read_spelt_length(struct spelling *cursor, uint64_t most, uint64_t *length);
