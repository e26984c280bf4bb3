/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A place in the kernel's file as typed (core/symbols/place.h), perhaps with /LEN; and a function
 * with what is said of its arguments. Called by outside/pitot/event.c, blame.c and allocators.c.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/symbols/place.h"
#include "outside/pitot/kernel.h"

struct place_range {
    uint64_t address, length;
    bool fixed; /* given as a number: a run-time address, which the slide does not move */
};

/*
 * Reads a place and its length of up to `most` bytes, or any if that is 0. The default is the
 * symbol's size, or PLACE_LENGTH if it has none or an offset or a number was given. Modifies
 * `text`.
 */
int place_read_range(char *text, const struct kernel *kernel, uint64_t most,
                     struct place_range *range, struct refusal *why);

/* Refuses a name, and suggests similar ones; `what`: the kind of name that was expected. */
int place_refuse_name(const char *what, const char *name, const struct kernel *kernel,
                      struct refusal *why);

/*
 * Cuts FUNCTION:ARGUMENTS after the function's name, which may have "::". Returns ARGUMENTS; NULL:
 * there are none.
 */
char *function_split(char *text);
