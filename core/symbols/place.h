/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A place in memory as typed, the same in a kernel (core/event/source_breakpoint.c) and outside one
 * (outside/pitot/place.h):
 *
 *     0x10, 16                         an address
 *     SYMBOL, SYMBOL+OFF, SYMBOL-OFF   OFF: a number
 *
 * and what may follow it in an event: /LEN, and an access made of the letters r, w, x. The
 * functions return 0, or a negative errno and the reason, with the names nearest to an unknown one.
 * Task context.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/lib/refusal.h"
#include "core/symbols/symbols.h"

#define PLACE_LENGTH 4 /* bytes, as in perf, if nothing better is known */

struct place {
    uint64_t address;
    bool is_number; /* a run-time address, wherever the kernel lies */
    bool is_symbol; /* a symbol without an offset, whose size may be the length */
    struct symbol symbol;
};

/* Where names are looked up. */
struct place_names {
    const struct symbol_table *table; /* a program's; NULL: the kernel's (core/symbols/symbols.h) */
    const char *path;                 /* the program's file */
    /*
     * Refuses a name that is in no table for a better reason, or returns 0. `what`: the kind of
     * name that was expected. NULL: the caller knows no such reason.
     */
    int (*refuse)(const char *what, const char *name, struct refusal *why);
};

/* Reads all of `text`, which is modified. A symbol may have +, - or digits in its name. */
int place_read(char *text, const struct place_names *names, struct place *place,
               struct refusal *why);

/* Reads all of `text` as a length of up to `most` bytes; 0: of any length. */
int place_read_length(const char *text, uint64_t most, uint64_t *length, struct refusal *why);

/*
 * Returns the access that these characters spell, bits of <linux/hw_breakpoint.h>; 0 if they are
 * none, or one comes twice.
 */
unsigned place_access(const char *text, size_t length);

/* Refuses a name that was not found. `what`: the kind of name that was expected. */
int place_refuse_unknown(const char *what, const char *name, const struct place_names *names,
                         struct refusal *why);
