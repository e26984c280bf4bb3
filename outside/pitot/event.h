/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a person asks for by -e, against the kernel's symbols: instructions, accesses to memory,
 * calls of functions and their returns, interrupts. Called by outside/pitot/main.c.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "outside/pitot/kernel.h"
#include "outside/pitot/options.h"

enum event_kind { EVENT_INSTRUCTIONS, EVENT_MEMORY, EVENT_CALLS, EVENT_RETURNS, EVENT_INTERRUPTS };

struct event {
    enum event_kind kind;
    char *name;      /* as typed, without terms */
    uint64_t period; /* instructions or hits to a sample */
    bool stops;      /* its first hit is the last sample */
    /* EVENT_MEMORY */
    uint64_t address, length;
    bool fixed;         /* the address was given as a number: it is where the kernel runs */
    const char *access; /* r, w, rw */
    /* EVENT_CALLS, EVENT_RETURNS: the functions, in order, each once; `address` is the first. */
    uint64_t *entries;
    size_t entry_count;
};

struct events {
    unsigned count;
    uint64_t from, until; /* entries of functions; 0: not given */
    struct event event[EVENTS_MAX];
};

/* Without -e: instructions. --stop's are the last. 0, or a negative errno and the reason. */
int events_read(struct events *events, const struct pitot_options *options,
                const struct kernel *kernel, struct refusal *why);

/* Whether one of them is known only where calls are followed; and whether one is of that kind. */
bool events_follow(const struct events *events);
bool events_have(const struct events *events, enum event_kind kind);
