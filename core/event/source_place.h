/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The place in an event's spelling: a number, a symbol or symbol+offset, of the kernel or of the
 * program named before it. Each function leaves the cursor after what it has read, and returns 0,
 * or a negative errno and the reason (an unknown symbol's nearest names included). Task context.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/event/spec.h"
#include "core/event/spelling.h"
#include "core/symbols/symbols.h"

struct place {
    uintptr_t address;
    bool is_symbol; /* a symbol without an offset: its size may be the length */
    struct symbol symbol;
};

/* Reads "/PATH:", if it is there: the symbols after it are the program's. */
int place_read_program(struct spelling *cursor, struct event_spec *spec);

int place_read(struct spelling *cursor, struct place *place);
