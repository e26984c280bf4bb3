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
 * Default length: the symbol's size; 4 without one, or with an offset or a number. Modifies `text`;
 * a refusal calls it `what` "`name`".
 */
int place_read_range(char *text, const struct kernel *kernel, const char *what, const char *name,
                     uint64_t *address, uint64_t *length, struct refusal *why);

/* Refuses a name, and suggests similar ones; `what`: the kind of name that was expected. */
int place_refuse_unknown(const char *what, const char *name, const struct kernel *kernel,
                         struct refusal *why);
