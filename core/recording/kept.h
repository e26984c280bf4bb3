/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the next boot needs in order to read this boot's recording, in memory that a reset leaves
 * alone (core/host.h, memory_kept; arch/memory.h, ARCH_KEPT). For core/recording/; task context.
 * docs/crash.md gives the reasons.
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

#define KEPT_MAGIC    UINT64_C(0x5450454b544f5450) /* the bytes "PTOTKEPT" */
#define KEPT_VERSION  1
#define KEPT_END_SIZE 96

/* At the same place in every build, so that another build's recording is known for what it is. */
struct kept_head {
    uint64_t magic; /* stored last, when all else is; cleared first */
    uint32_t version;
    uint32_t crc; /* of what follows in here */
    uint8_t build_id[ARCH_BUILD_ID_SIZE];
    uint32_t event_count;
    uint64_t memory, memory_size; /* what the host gave: address and bytes */
    uint64_t ring_size; /* of each ring; each begins where the one before ends, from `memory` on */
    uint32_t ring_count;
    uint32_t fits; /* 0: the rings did not, and lie elsewhere */
    uint32_t events_crc;
    uint32_t mode; /* enum ring_mode */
};

_Static_assert(sizeof(struct kept_head) == 80, "the CRC covers no padding");

struct kept {
    struct kept_head head;
    uint32_t end_crc; /* of `end`, which is stored at any time */
    char end[KEPT_END_SIZE];
    struct recorded_event events[RECORDING_EVENTS_MAX];
};

/* Written by core/recording/kept.c alone. */
extern struct kept kept;

uint32_t kept_head_crc(const struct kept_head *head);

/* Memory for so many rings of that size; NULL: it has no room for them. */
void *kept_rings(unsigned count, uint64_t size);

/* Whether that memory is the host's kept one, which is never given back. */
bool kept_has(const void *memory);

/* Nothing of what lies there is a recording from here on. */
void kept_drop(void);

/* The rings, which are empty, and the events that write into them are the next boot's to find. */
void kept_hold(const struct ring *rings, unsigned count, const struct event *events,
               unsigned event_count);
