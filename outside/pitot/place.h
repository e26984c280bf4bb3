/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A place in the kernel as typed: 0x..., SYMBOL, SYMBOL+OFF, each optionally with /LEN. Called by
 * outside/pitot/event.c and blame.c.
 */
#pragma once

#include <stdint.h>

#include "core/lib/refusal.h"
#include "outside/pitot/kernel.h"

/*
 * Reads a place and its length. The default length is the symbol's size, or 4 if it has none or an
 * offset or a number was given. Modifies `text`; an error message calls the place `what` "`name`".
 */
int place_read_range(char *text, const struct kernel *kernel, const char *what, const char *name,
                     uint64_t *address, uint64_t *length, struct refusal *why);

/* Refuses a name, and suggests similar ones; `what`: the kind of name that was expected. */
int place_refuse_unknown(const char *what, const char *name, const struct kernel *kernel,
                         struct refusal *why);
