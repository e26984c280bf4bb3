/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A writer that is single-stepped only in the ring's own code (tests/unit/step.h), for tests that
 * interrupt it at every instruction.
 */
#pragma once

#include <stdint.h>

#include "core/ring/ring.h"
#include "tests/unit/step.h"

/* Writes one self-proving record of up to RING_SIZE_MIN bytes. */
void stepped_put(struct ring *ring, uint32_t size);

/* Runs the plan at all of its boundaries, of which there must be as many as such a writer has. */
void stepped_through(const struct step_plan *plan);
