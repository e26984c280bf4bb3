/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writers of memory, for `pitot blame`: their history at given places (writers.h), or the last
 * writer of all memory (shadow.h). One caller at a time.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "outside/plugin/store.h"
#include "outside/request.h"

void blame_begin(const struct request *request);

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

/*
 * The machine has stopped, perhaps to end. Called on this CPU's thread; `time`: instructions of all
 * CPUs.
 */
void blame_stopped(unsigned cpu, uint64_t time);

void blame_tell(uint64_t end);
