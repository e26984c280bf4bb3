/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What is wrong with the heap, and what it was made of. Reports with the same code on both sides
 * (who accesses or frees, who allocated, who freed before) are one, with a count. Called by
 * outside/plugin/heap.c, with the plugin's lock.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "outside/plugin/objects.h"
#include "outside/wire.h"

/* False: no memory. */
bool heap_report_begin(void);

/* An access to freed memory, or beside an object. */
struct heap_access {
    enum wire_heap_kind kind;
    uint64_t ip, address;
    unsigned length, access; /* as in struct wire_sample */
    struct object *object;   /* the one that was meant */
};

/* True if it is the first one of these places. */
bool heap_report_access(unsigned cpu, const struct heap_access *access);

/* An access beside an object that has enough reports. */
void heap_report_crowd(void);

/* A free of what is no live object. */
struct heap_free {
    enum wire_heap_kind kind;
    uint64_t entry, address;     /* of the allocator; what it was given */
    uint32_t context;            /* of its caller */
    const struct object *object; /* NULL: none is there */
};

void heap_report_free(unsigned cpu, const struct heap_free *free);

/* An object was allocated, `kept` if there was room for it; a live one is about to be freed. */
void heap_report_allocated(const struct object *object, bool kept);
void heap_report_freed(const struct object *object);

/* ... or was, unseen, as its memory was returned again; or went with the machine's reset. */
void heap_report_overwritten(const struct object *object);
void heap_report_gone(const struct object *object);

/* At the end. */
void heap_report_tell(void);
