/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Calling contexts: each path of call sites has a number, so a chain takes four bytes. The tree
 * only grows, up to a limit. One caller at a time (the plugin's lock).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "outside/wire.h"

#define CONTEXT_NONE    0
#define CONTEXT_UNKNOWN 1          /* a caller that is not known: the chain ends with a mark */
#define CONTEXT_MOST    (3u << 20) /* all numbers are below this */

struct context {
    uint64_t site;
    uint32_t outer;
    uint8_t by;       /* enum wire_by */
    uint8_t site_end; /* bytes of the call instruction */
    bool told;        /* sent to the command */
    bool unknown;     /* the path begins with CONTEXT_UNKNOWN */
    bool inside;      /* what runs here was called by an allocator (WIRE_BY_ALLOCATOR) */
};

/* False: no memory. */
bool context_init(void);

/* The context of the call at `site` in the context `outer`; CONTEXT_UNKNOWN: no room. */
uint32_t context_of(uint32_t outer, uint64_t site, enum wire_by by, unsigned site_end);

struct context *context_at(uint32_t number);

/* How many handlers of interrupts it is within. */
unsigned context_interrupts(uint32_t number);

/* The highest number in use. */
uint32_t context_last(void);

/* How often context_of found no room. */
uint64_t context_lost(void);
