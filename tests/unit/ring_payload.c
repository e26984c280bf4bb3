/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes and checks the self-proving records of the ring's tests (ring_payload.h). */
#include "tests/unit/ring_payload.h"

#include <stddef.h>

#include <linux/perf_event.h>

enum { WORD_HEADER, WORD_POSITION, WORD_TIME, WORD_PATTERN };

#define LEVEL_BITS  8    /* of header.type; the other 24 are the checksum */
#define LEVEL_NAMED 128u /* set if a name takes the place of the position */

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

static uint64_t payload_pattern(uint64_t position, uint64_t time, size_t index)
{
    return mix(position + index) ^ time;
}

void payload_fill(void *record, uint32_t size, unsigned level, uint64_t position, uint64_t time)
{
    uint64_t *words = record;

    *(struct perf_event_header *)record =
        payload_header(size, level, position, payload_has_time(size) ? time : 0);
    if (size / 8 > WORD_POSITION)
        words[WORD_POSITION] = position;
    if (payload_has_time(size))
        words[WORD_TIME] = time;
    for (size_t i = WORD_PATTERN; i < size / 8; i++)
        words[i] = payload_pattern(position, time, i);
}

void payload_fill_named(void *record, uint32_t size, unsigned level, uint16_t name)
{
    payload_fill(record, size, level | LEVEL_NAMED, name * 8ull, 0);
}

struct payload_hit payload_hit(uint16_t name)
{
    return (struct payload_hit){.id = name,
                                .ip = mix(name + 1ull),
                                .ids = mix(name + 2ull),
                                .addr = mix(name + 3ull),
                                .period = mix(name + 4ull)};
}

/* The layout is the ABI's, for SAMPLE_ALWAYS. */
void payload_fill_sample(void *record, uint32_t size, uint16_t name, uint64_t cpu)
{
    const struct payload_hit hit = payload_hit(name);
    uint64_t *words = record;

    *(struct perf_event_header *)record = (struct perf_event_header){
        .type = PERF_RECORD_SAMPLE, .misc = PERF_RECORD_MISC_KERNEL, .size = (uint16_t)size};
    words[1] = hit.id;
    words[2] = hit.ip;
    words[3] = hit.ids;
    words[5] = hit.addr;
    words[6] = cpu;
    if (size > PAYLOAD_SAMPLE)
        words[7] = hit.period;
}

static const char *sample_fault(const uint64_t *words, size_t count)
{
    uint64_t right[PAYLOAD_SAMPLE / 8 + 1];

    if (count != PAYLOAD_SAMPLE / 8 && count != PAYLOAD_SAMPLE / 8 + 1)
        return "a sample has another size";
    payload_fill_sample(right, (uint32_t)count * 8, (uint16_t)words[1], words[6]);
    for (size_t i = 0; i < count; i++)
        if (i != PAYLOAD_SAMPLE_TIME && words[i] != right[i])
            return "bytes of another sample";
    return NULL;
}

static bool is_sample(const struct perf_event_header *header)
{
    return header->type == PERF_RECORD_SAMPLE; /* a level of no writer */
}

bool payload_has_time(uint32_t size)
{
    return size / 8 > WORD_TIME;
}

uint64_t *payload_time_word(void *record)
{
    return (uint64_t *)record + WORD_TIME;
}

unsigned payload_level(const void *record)
{
    const struct perf_event_header *header = record;

    return header->type & (LEVEL_NAMED - 1);
}

uint64_t payload_time(const void *record)
{
    const struct perf_event_header *header = record;

    if (is_sample(header))
        return ((const uint64_t *)record)[PAYLOAD_SAMPLE_TIME];
    return payload_has_time(header->size) ? ((const uint64_t *)record)[WORD_TIME] : 0;
}

const char *payload_fault(const void *record, uint64_t position)
{
    const struct perf_event_header *header = record;
    const uint64_t *words = record;
    bool named = header->type & LEVEL_NAMED;
    uint64_t of = named ? header->misc * 8ull : position;
    uint64_t time = named ? 0 : payload_time(record);
    size_t count = header->size / 8;
    struct perf_event_header right =
        payload_header(header->size, header->type & ((1u << LEVEL_BITS) - 1), of, time);

    if (is_sample(header))
        return sample_fault(words, count);
    if (header->misc != right.misc)
        return "the header is of another position";
    if (header->type != right.type)
        return "the header's checksum is wrong";
    if (count > WORD_POSITION && words[WORD_POSITION] != of)
        return "bytes of another record";
    for (size_t i = WORD_PATTERN; i < count; i++)
        if (words[i] != payload_pattern(of, time, i))
            return "bytes of another record";
    return NULL;
}
