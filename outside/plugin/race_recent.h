/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Accesses to memory, for the search for races, and the last ones of a CPU: who does the same again
 * and again, and stores nothing, waits for another CPU. Called by race.c and race_meet.c, in the
 * CPU's thread, without a lock.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "outside/plugin/api.h"

#define RACE_RECENTS 8u /* a power of two */

struct race_access {
    uint64_t ip, address;
    qemu_plugin_meminfo_t info;
};

struct race_recent {
    uint32_t count; /* of those that were kept since it is 0 */
    struct race_access accesses[RACE_RECENTS];
};

/* Bytes. */
unsigned race_access_length(const struct race_access *access);
bool race_access_stores(const struct race_access *access);

void race_recent_keep(struct race_recent *recent, const struct race_access *access);

/*
 * True if the last accesses that were kept are what the CPU did just before, too, and none is a
 * store: it waits for a change. At least RACE_RECENTS have been kept.
 */
bool race_recent_polls(const struct race_recent *recent);
