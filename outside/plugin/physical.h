/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which memory a store is to. QEMU tells a store's physical address when asked, which is slow, so
 * the answer is kept per CPU and virtual page until that CPU may have another mapping: code must
 * load a control register, or execute invlpg or invpcid, after it changes one. Needs the plugin's
 * lock, except physical_flush.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

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

/*
 * Returns the mapping that a store to `address` uses; NULL: the store is to a device, or there is
 * no memory for a new one. May be called only in the store's callback.
 */
struct mapping *physical_find(unsigned cpu, uint32_t info, uint64_t address);

/*
 * Returns the mapping that a store by the CPU to `address` would use, as far as is known without
 * asking QEMU. `likely`: or the one that was seen there last. NULL: not known.
 */
struct mapping *physical_known(unsigned cpu, uint64_t address, bool likely);

/* The CPU may have other mappings from now on. Called on this CPU, or at a reset. */
void physical_flush(unsigned cpu);

/* Calls back for each mapping. */
void physical_each(void (*take)(struct mapping *mapping));
