/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The last writer of all memory, for each 4 bytes of it (a granule): half a pointer, an int. An
 * entry says which of the granule's bytes were written. Memory has entries from its first write on,
 * page by page, as long as there is room. One caller at a time.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "outside/plugin/store.h"

/* shadow=BYTES, the room. NULL, or what is wrong. */
const char *shadow_begin(const char *argument);

/* Whether it is wanted. */
bool shadow_watch(void);

void shadow_on_store(unsigned cpu, const struct store *store);

/* Tells the writers in the order of addresses, granules of the same write as one, and the loss. */
void shadow_tell(void);
