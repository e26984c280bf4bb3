/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What must hold of a ring of self-proving records: at every instruction, for a debugger that has
 * stopped the machine (ring_look), and while nothing is being written (ring_fault).
 */
#pragma once

#include <stdint.h>

#include "core/ring/ring.h"

/* What a reader of a stopped machine finds between the tail and the head. */
struct ring_look {
    uint64_t whole;      /* records that prove themselves, in order of time */
    uint64_t unfinished; /* claims in between */
    const char *fault;   /* NULL, or what is wrong */
};

/* Uses only the ring's fields: claims are skipped by the rule in docs/ring.md. */
struct ring_look ring_look(const struct ring *ring);

/*
 * NULL, or what is wrong with an idle ring, of which `consumed` records have been returned: the
 * bytes, the fields, the reader's view or the counts.
 */
const char *ring_fault(const struct ring *ring, uint64_t consumed);
