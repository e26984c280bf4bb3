/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writers of memory, for `pitot blame`: their history at given places (writers.h), or the last
 * writer of all memory (shadow.h). One caller at a time.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "outside/plugin/store.h"

/* True if this is an argument of blame; *wrong is then NULL, or the form that was expected. */
bool blame_argument(const char *argument, const char **wrong);

void blame_slide(uint64_t by);

/* True if stores must be reported. */
bool blame_watch(void);

void blame_on_store(unsigned cpu, const struct store *store);

/*
 * The CPU has stored its frame for an interrupt, from store->address on, and enters the handler.
 * QEMU does not tell where that is in memory: the next store to the same page does.
 */
void blame_on_frame(unsigned cpu, const struct store *store);

/* The CPU may have other mappings from now on. */
void blame_flush(unsigned cpu);

void blame_tell(void);
