/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The last writer of all memory, for each 4 bytes (a granule): half a pointer, or an int. An entry
 * records which of these bytes were written. A page has entries from its first write on, if there
 * is room. One caller at a time.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "outside/plugin/store.h"

/*
 * Takes the value of shadow=, the bytes of memory to use. Returns NULL, or the form that was
 * expected.
 */
const char *shadow_begin(const char *argument);

/* True if shadow= was given. */
bool shadow_watch(void);

void shadow_on_store(unsigned cpu, const struct store *store);

/* Reports the writers in address order, one record for each write; then the lost writes. */
void shadow_tell(void);
