/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which calls a trace has: by function, depth and duration. Called by outside/plugin/track.c and
 * trace.c for each call, in any thread.
 */
#pragma once

#include <stdint.h>

#include "outside/request.h"

/* Keeps a pointer to the request. */
void trace_wanted_begin(const struct request *request);

void trace_wanted_slide(uint64_t by);

/* The least duration with which a call of the function is sent; `depth`: calls around it. */
uint64_t trace_wanted_least(uint64_t function, uint32_t depth);

/* The same of a function that is known by another address of it: the command knows which it is. */
uint64_t trace_wanted_least_within(uint32_t depth);
