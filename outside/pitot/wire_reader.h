/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Splits the bytes of the pipe into the records of outside/wire.h, and validates them. Called by
 * outside/pitot/watch.c and blame_file.c.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "core/lib/refusal.h"
#include "outside/wire.h"

#define WIRE_ROOM (1 << 20)

struct wire_reader {
    size_t begin, end; /* the bytes not yet read */
    uint64_t bytes[WIRE_ROOM / 8];
};

/*
 * wire_room returns a buffer for more bytes, and its size; wire_filled takes the number stored
 * there.
 */
void *wire_room(struct wire_reader *reader, size_t *room);
void wire_filled(struct wire_reader *reader, size_t count);

/* Returns 1 and a record, 0 if more bytes are needed, or a negative errno and the reason. */
int wire_next(struct wire_reader *reader, const struct wire_head **record, struct refusal *why);
