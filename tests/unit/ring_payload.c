/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes and checks the self-proving records of the ring's tests (ring_payload.h). */
#include "tests/unit/ring_payload.h"

#include <stddef.h>

#include <linux/perf_event.h>

enum { WORD_HEADER, WORD_POSITION, WORD_TIME, WORD_PATTERN };

#define LEVEL_BITS 8 /* of header.type; the other 24 are the checksum */

static uint64_t mix(uint64_t value)
{
    value = (value ^ value >> 31) * 0x9e3779b97f4a7c15;
    return value ^ value >> 29;
}

static struct perf_event_header payload_header(uint32_t size, unsigned level, uint64_t position,
                                               uint64_t time)
{
    uint64_t checksum = mix(mix(mix(position) + size) + level) + time;

    return (struct perf_event_header){
        .type = (uint32_t)mix(checksum) << LEVEL_BITS | level,
        .misc = (uint16_t)(position / 8),
        .size = (uint16_t)size,
    };
}

static uint64_t payload_word(uint64_t position, uint64_t time, size_t index)
{
    if (index == WORD_POSITION)
        return position;
    if (index == WORD_TIME)
        return time;
    return mix(position + index) ^ time;
}

void payload_fill(void *record, uint32_t size, unsigned level, uint64_t position, uint64_t time)
{
    uint64_t *words = record;
    size_t count = size / 8;

    *(struct perf_event_header *)record =
        payload_header(size, level, position, count > WORD_TIME ? time : 0);
    for (size_t i = WORD_POSITION; i < count; i++)
        words[i] = payload_word(position, time, i);
}

unsigned payload_level(const void *record)
{
    const struct perf_event_header *header = record;

    return header->type & ((1u << LEVEL_BITS) - 1);
}

uint64_t payload_time(const void *record)
{
    const struct perf_event_header *header = record;

    return header->size / 8 > WORD_TIME ? ((const uint64_t *)record)[WORD_TIME] : 0;
}

const char *payload_fault(const void *record, uint64_t position)
{
    const struct perf_event_header *header = record;
    const uint64_t *words = record;
    uint64_t time = payload_time(record);
    struct perf_event_header right =
        payload_header(header->size, payload_level(record), position, time);

    if (header->misc != right.misc)
        return "the header is of another position";
    if (header->type != right.type)
        return "the header's checksum is wrong";
    for (size_t i = WORD_POSITION; i < header->size / 8u; i++)
        if (words[i] != payload_word(position, time, i))
            return "bytes of another record";
    return NULL;
}
