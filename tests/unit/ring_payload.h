/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Records that prove themselves: every byte follows from the record's position in the ring, its
 * size, its writer's level and its time. Positions never repeat, so they serve as sequence numbers:
 * a record that is torn, mixed from two, left over from an earlier lap or read at the wrong place
 * is detected, even if it is only a header. For the ring's tests, on the host and in the kernel
 * (tests/kernel/ring_world.c). Any context.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Fills `size` bytes (a multiple of 8). Records of 24 bytes and more carry the time. */
void payload_fill(void *record, uint32_t size, unsigned level, uint64_t position, uint64_t time);

/*
 * The same for a record that is built before it has a place and a time, for ring_output: `name`
 * replaces the position, and the time's word is free. The test, which knows the names, must check
 * the place.
 */
void payload_fill_named(void *record, uint32_t size, unsigned level, uint16_t name);

/*
 * The contents of a hit whose sample (core/sample/sample.c) proves itself, except for its CPU: a
 * sample of PAYLOAD_SAMPLE bytes, or one word more with its period.
 */
struct payload_hit {
    uint64_t id; /* the name */
    uint64_t ip, ids, addr, period;
};

#define PAYLOAD_SAMPLE      56
#define PAYLOAD_SAMPLE_TIME 4 /* the index of the time's word */

struct payload_hit payload_hit(uint16_t name);
void payload_fill_sample(void *record, uint32_t size, uint16_t name, uint64_t cpu);

/* The place of the time, in a record large enough for it. */
bool payload_has_time(uint32_t size);
uint64_t *payload_time_word(void *record);

/* NULL, or what is wrong with the record at `position`. Its header must have a readable size. */
const char *payload_fault(const void *record, uint64_t position);

/* The contents of a valid record; time 0 if it is too small for one. */
unsigned payload_level(const void *record);
uint64_t payload_time(const void *record);
