/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Records that prove themselves: every byte follows from the record's position in the ring, its
 * size, its writer's level and its time. Positions never repeat, so they are the sequence numbers:
 * what is torn, mixed from two records, left over from an earlier lap or read at the wrong place is
 * found out, down to a record that is only a header.
 */
#pragma once

#include <stdint.h>

/* Fills `size` bytes (a multiple of 8). Records of 24 bytes and more carry the time. */
void payload_fill(void *record, uint32_t size, unsigned level, uint64_t position, uint64_t time);

/* NULL, or what is wrong with a record said to lie at `position`. Its header must tell a size that
 * may be read. */
const char *payload_fault(const void *record, uint64_t position);

/* What a sound record carries; a time of 0 where there is no room for it. */
unsigned payload_level(const void *record);
uint64_t payload_time(const void *record);
