/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The code of the allocators: what is theirs, and what debug information says of it. Called by
 * outside/pitot/allocators.c and heap_ask.c.
 */
#pragma once

#include "outside/pitot/allocators.h"

/* Completes what is known of their code. */
void allocator_code_read(struct allocators *allocators, const struct kernel *kernel);

/*
 * Adds to the request these functions, and their code, its parts (.cold), and that of the functions
 * that match --allocator.
 */
int allocator_code_ask(const struct allocators *allocators, const struct pitot_options *options,
                       struct watch *watch, struct refusal *why);
