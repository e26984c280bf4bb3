/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writers of memory, for `pitot blame`: their history at given places, or the last writer of all
 * memory. One caller at a time.
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

void blame_tell(uint64_t end);

/* --- Which memory a store is to --- */

#define PHYSICAL_PAGE 4096u

/* A virtual page that was seen on a physical page. It is kept for as long as QEMU runs. */
struct mapping {
    uint64_t virtual, physical; /* addresses of the pages */
    uint64_t seen;              /* highest: the virtual page's latest */
    struct mapping *next;       /* another one whose virtual page has the same hash */
    struct mapping *beside;     /* for the user: another one of the same physical page */
    void *memory;               /* for the user: what is kept about the physical page; NULL: new */
    unsigned number;            /* for the user */
};

/* Calls back for each mapping. */
void physical_each(void (*take)(struct mapping *mapping));

/*
 * --- The last writers of places: writers.c ---
 *
 * A history for each word, exact to the byte, on each physical page that was seen at the place's
 * virtual address, from its first write there on. Consecutive writes by the same instruction,
 * context and thread, to the same or adjacent bytes, are one entry with a count.
 */

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

/*
 * --- The last writer of all memory: shadow.c ---
 *
 * By physical pages, for each 4 bytes (a granule): half a pointer, or an int. It is known which of
 * these bytes were written; consecutive writes by the same code to adjacent bytes of a granule
 * count as one.
 */

/* `bytes`: of memory to use. */
void shadow_begin(uint64_t bytes);

/* True once shadow_begin was called. */
bool shadow_watch(void);

/* A store to the bytes from `first` to `last`, in one page. */
void shadow_on_store(unsigned cpu, const struct store *store, struct mapping *mapping,
                     uint64_t first, uint64_t last);

/* Reports the writers in address order, one record for each write; then the lost writes. */
void shadow_tell(void);
