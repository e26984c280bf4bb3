/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Calling contexts: each path of call sites is one number, so that a whole chain is four bytes. The
 * tree only grows, up to a limit. One caller at a time (the plugin's lock).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "outside/wire.h"

#define CONTEXT_NONE 0
#define CONTEXT_MOST (3u << 20) /* numbers are below it */

struct context {
    uint64_t site;
    uint32_t outer;
    uint8_t by;       /* enum wire_by */
    uint8_t site_end; /* bytes of the call instruction */
    bool told;        /* the command knows it */
};

/* False: no memory. */
bool context_init(void);

/* The context of this call in that context; CONTEXT_NONE if there is no room for it. */
uint32_t context_of(uint32_t outer, uint64_t site, enum wire_by by, unsigned site_end);

struct context *context_at(uint32_t number);

/* The last number that was given. */
uint32_t context_last(void);

/* How often there was no room. */
uint64_t context_lost(void);
