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
 * The same for a record that lies ready before it has a place and a time, as ring_output takes it:
 * `name` stands for the position, and the word of the time is free. Whether it lies where it should
 * is then for the test to print, which knows the names.
 */
void payload_fill_named(void *record, uint32_t size, unsigned level, uint16_t name);

/*
 * What a hit has to have, so that its sample (core/sample/sample.c) proves itself, but for its CPU:
 * the same, of PAYLOAD_SAMPLE bytes, or a word more with its period.
 */
struct payload_hit {
    uint64_t id; /* the name */
    uint64_t ip, ids, addr, period;
};

#define PAYLOAD_SAMPLE      56
#define PAYLOAD_SAMPLE_TIME 4 /* the word of the time */

struct payload_hit payload_hit(uint16_t name);
void payload_fill_sample(void *record, uint32_t size, uint16_t name, uint64_t cpu);

/* Where the time goes, in a record that has room for it. */
bool payload_has_time(uint32_t size);
uint64_t *payload_time_word(void *record);

/* NULL, or what is wrong with a record said to lie at `position`. Its header must tell a size that
 * may be read. */
const char *payload_fault(const void *record, uint64_t position);

/* What a sound record carries; a time of 0 where there is no room for it. */
unsigned payload_level(const void *record);
uint64_t payload_time(const void *record);
