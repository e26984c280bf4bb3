/* SPDX-License-Identifier: BSD-2-Clause */
/* The events of -e, resolved by the kernel's symbols. Called by outside/pitot/main.c. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "outside/pitot/kernel.h"
#include "outside/pitot/options.h"
#include "outside/request.h"

struct event {
    enum event_kind kind; /* EVENT_HEAP: `address` is the number of its format */
    char *name;           /* as typed, without terms */
    uint64_t period;      /* instructions or hits per sample */
    bool stops;           /* its first hit is the last sample */
    /* EVENT_MEMORY */
    uint64_t address, length;
    bool fixed;      /* given as a number: a run-time address, which the slide does not move */
    unsigned access; /* enum wire_access */
    /* EVENT_CALLS, EVENT_RETURNS: the functions, sorted and unique; `address` is the first. */
    uint64_t *entries;
    size_t entry_count;
    unsigned vector_first, vector_last; /* EVENT_INTERRUPTS */
};

struct events {
    unsigned count;
    uint64_t from, until; /* function entries; 0: not given */
    struct event event[EVENTS_MOST];
};

/* Reads the events of -e (instructions if there is none), then those of --trigger. */
int events_read(struct events *events, const struct pitot_options *options,
                const struct kernel *kernel, struct refusal *why);

/* True if there is an event of that kind. */
bool events_have(const struct events *events, enum event_kind kind);
