/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Parses the place in an event's spelling: a number, a symbol or symbol+offset, in the kernel or in
 * the program named before it. The functions advance the cursor and return 0, or a negative errno
 * and the reason, with the names nearest to an unknown symbol. Task context.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/event/spec.h"
#include "core/event/spelling.h"
#include "core/symbols/symbols.h"

struct place {
    uintptr_t address;
    bool is_symbol; /* a symbol without an offset, whose size may be the length */
    struct symbol symbol;
};

/* Reads "/PATH:", if present. */
int place_read_program(struct spelling *cursor, struct event_spec *spec);

int place_read(struct spelling *cursor, struct place *place);
