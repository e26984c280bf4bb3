/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The window in which hits count: from each entry of one function to the next entry of another,
 * until a stop event ends it for good. It also limits the number of samples. Called by the plugin
 * and its events; one caller at a time.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "outside/request.h"

/* Without `from` the window is open from the beginning. */
void window_begin(const struct request *request);

void window_slide(uint64_t by);

/* True if the instruction at `ip` opens or closes the window. */
bool window_border(uint64_t ip);

/*
 * The instruction at `ip`, a border, is about to run; `instructions` have run before it on all
 * CPUs.
 */
void window_cross(uint64_t ip, uint64_t instructions);

bool window_open(void);

/* True if one more sample may be taken; counts it. */
bool window_takes_sample(void);

/* Closes the window for good. */
void window_end(uint64_t instructions);

/* Returns the instructions executed while the window was open, of `instructions` in all. */
uint64_t window_instructions(uint64_t instructions);

/* Returns the number of samples beyond the limit. */
uint64_t window_left_out(void);
