/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The last writers of the places of `pitot blame`: a history for each word, exact to the byte, on
 * each physical page that was seen at the place's virtual address, from its first write there on.
 * Consecutive writes by the same instruction, context and thread, to the same or adjacent bytes,
 * are one entry with a count. One caller at a time.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "outside/plugin/physical.h"
#include "outside/plugin/store.h"
#include "outside/request.h"

/* `each`: the entries per history. */
void writers_begin(uint32_t each, const struct request_place *wanted, uint32_t number);

void writers_slide(uint64_t by);

/* True if there is a place. */
bool writers_watch(void);

/* A store to the bytes from `first` to `last`, in one page. */
void writers_on_store(unsigned cpu, const struct store *store, struct mapping *mapping,
                      uint64_t first, uint64_t last);

/*
 * The machine has stopped, as it does before it ends: reads what the places hold. On this CPU's
 * thread; `time`: instructions of all CPUs.
 */
void writers_read(unsigned cpu, uint64_t time);

/*
 * Reports the histories, the newest write of each word first, and where memory differs, if no
 * instruction has run since it was read. `end`: instructions of all CPUs.
 */
void writers_tell(uint64_t end);
