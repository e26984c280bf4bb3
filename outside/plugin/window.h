/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * When hits are counted and sampled: from each entry of one function to the next entry of another,
 * and until so many samples are there, or an event ends it all. Called by the plugin and its
 * events; one caller at a time.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/*
 * from=ADDRESS, until=ADDRESS: entries of functions in the kernel's file; without `from` it is open
 * from the beginning. max=SAMPLES. False: it is none of these.
 */
bool window_add(const char *argument);

/* The kernel runs so far above the addresses of its file. */
void window_slide(uint64_t by);

/* Whether the instruction there opens or closes it. */
bool window_border(uint64_t ip);

/* It is about to run; before it, `instructions` have run on all CPUs. */
void window_cross(uint64_t ip, uint64_t instructions);

bool window_open(void);

/* Whether one more sample may be taken; it is counted. */
bool window_takes_sample(void);

/* From now on nothing is counted. */
void window_end(uint64_t instructions);

/* How many instructions ran while it was open, of so many. */
uint64_t window_instructions(uint64_t instructions);

/* Samples that came after the last one that was allowed. */
uint64_t window_left_out(void);
