/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The last writer of all memory, by physical pages, for each 4 bytes (a granule): half a pointer,
 * or an int. It is known which of these bytes were written; consecutive writes by the same code to
 * adjacent bytes of a granule count as one. One caller at a time.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "outside/plugin/physical.h"
#include "outside/plugin/store.h"

/* `bytes`: of memory to use. */
void shadow_begin(uint64_t bytes);

/* True once shadow_begin was called. */
bool shadow_watch(void);

/* A store to the bytes from `first` to `last`, in one page. */
void shadow_on_store(unsigned cpu, const struct store *store, struct mapping *mapping,
                     uint64_t first, uint64_t last);

/* Reports the writers in address order, one record for each write; then the lost writes. */
void shadow_tell(void);
