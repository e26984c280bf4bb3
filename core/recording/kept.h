/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A recording in memory that a reset preserves (core/pitot.h, memory_kept; arch/memory.h,
 * ARCH_KEPT; docs/crash.md): this boot's is described for the next boot (kept.c), and the last
 * boot's is read, `perf report --last-boot` (last.c). Task context.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/memory.h"
#include "core/event/event.h"
#include "core/recording/recording.h"
#include "core/ring/ring.h"
#include "core/sample/records.h"

/* --- This boot's. For core/recording/. --- */

#define KEPT_MAGIC    UINT64_C(0x5450454b544f5450) /* the bytes "PTOTKEPT" */
#define KEPT_VERSION  2
#define KEPT_END_SIZE 352 /* the longest panic, in words */

/* Placed at the same address in every build, so that a recording of another build is recognised. */
struct kept_head {
    uint64_t magic; /* stored last; cleared first */
    uint32_t version;
    uint32_t crc; /* of the fields below */
    uint8_t build_id[ARCH_BUILD_ID_SIZE];
    uint32_t event_count;
    uint64_t memory, memory_size; /* the host's preserved memory: address, bytes */
    uint64_t ring_size;           /* bytes per ring; the rings begin at `memory`, without gaps */
    uint32_t ring_count;
    uint32_t fits; /* 0: the rings are elsewhere, as they did not fit */
    uint32_t events_crc;
    uint32_t mode; /* enum ring_mode */
};

_Static_assert(sizeof(struct kept_head) == 80, "the CRC covers no padding");

struct kept {
    struct kept_head head;
    uint32_t end_crc; /* of `end`, which may be stored at any time */
    char end[KEPT_END_SIZE];
    struct recorded_event events[RECORDING_EVENTS_MAX];
};

/* Written only by core/recording/kept.c. */
extern struct kept kept;

uint32_t kept_head_crc(const struct kept_head *head);

/* Returns preserved memory for `count` rings of `size` bytes; NULL if it is too small. */
void *kept_rings(unsigned count, uint64_t size);

/* True if `memory` is in the host's preserved memory, which is never given back. */
bool kept_has(const void *memory);

/* Invalidates the recording in preserved memory. */
void kept_drop(void);

/* Stores the description of the rings, which are still empty, and of their events. */
void kept_hold(const struct ring *rings, unsigned count, const struct event *events,
               unsigned event_count);

/* --- The last boot's. --- */

/*
 * Firmware and loaders may have overwritten any of it: invalid data is refused, or skipped and
 * counted.
 *
 * Finds and copies the recording, and reports the result on the console. `rings`: the last boot's
 * ARCH_CPUS_MAX rings; all zero on return. Called once at boot by recording.c.
 */
void last_find(struct ring *rings);

/*
 * Returns the records, oldest first; or NULL if there is no recording, and last_missing then
 * returns the reason. Until last_hide, comm_of returns the last boot's names. Task context, one
 * reader at a time.
 */
struct record_source *last_source(void);
const char *last_missing(void);
void last_hide(void);

/* True while comm_of and user_place_find refer to the last boot. Any context. */
bool last_shown(void);
