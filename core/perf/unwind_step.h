/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Between the iterator (unwind.c) and the way a step is taken (unwind_fp.c, and tables later):
 * neither is used elsewhere.
 */
#pragma once

#include "core/perf/unwind.h"

/* Moves from the frame in `state` to its caller, or sets state->end. */
void unwind_fp_step(struct unwind *state);

/*
 * Follows plain frames, storing return addresses, for as long as nothing is special. Returns how
 * many it stored.
 */
size_t unwind_fp_run(struct unwind *state, uint64_t *chain, size_t most);

/* Common to all ways: end the chain; or go on in the context that a trap interrupted. */
void unwind_stop(struct unwind *state, enum unwind_end end);
void unwind_enter_regs(struct unwind *state, const struct regs *regs);
