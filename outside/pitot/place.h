/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A place in the kernel as a person writes it: 0x..., SYMBOL, SYMBOL+OFF. Called by
 * outside/pitot/event.c.
 */
#pragma once

#include <stdint.h>

#include "core/lib/refusal.h"
#include "outside/pitot/kernel.h"

/*
 * *size becomes the symbol's; 0 where it has none, and with an offset or a number. 0, or a negative
 * errno and the reason.
 */
int place_read(char *text, const struct kernel *kernel, uint64_t *address, uint64_t *size,
               struct refusal *why);

/* Refuses a name, with those that are near; `what` it should have been. */
int place_refuse_unknown(const char *what, const char *name, const struct kernel *kernel,
                         struct refusal *why);
