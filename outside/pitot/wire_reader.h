/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Splits and validates the bytes of the pipe: the records of outside/wire.h. Called by
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

/* The buffer for more bytes and its size; then the number of bytes filled in. */
void *wire_room(struct wire_reader *reader, size_t *room);
void wire_filled(struct wire_reader *reader, size_t count);

/* 1 and a whole record; 0: more bytes are needed; or a negative errno and the reason. */
int wire_next(struct wire_reader *reader, const struct wire_head **record, struct refusal *why);
