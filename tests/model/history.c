/* SPDX-License-Identifier: BSD-2-Clause */
/* See history.h. */
#include "tests/model/history.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "arch/cpu.h"
#include "tests/model/memory.h"
#include "tests/model/transcript.h"
#include "tests/unit/ring_parts.h"
#include "tests/unit/ring_payload.h"

static struct history history;
static uint64_t now;
static uint32_t operations;
static bool interrupted;
static uint32_t accepted; /* records that the ring has accepted */

void history_set(const struct history *which)
{
    history = *which;
}

/* An interrupt before the read makes the returned time an old one, as with a real clock. */
uint64_t arch_clock_ns(void)
{
    memory_moment();
    return ++now;
}

/* --- The writer. --- */

static void put(uint32_t size)
{
    uint64_t bytes[MEMORY_WORDS];
    struct ring_record record;

    if (ring_reserve(&memory_ring, size, &record)) {
        accepted++;
        payload_fill(bytes, size, record.level, record.offset, record.time);
        ring_write(&memory_ring, &record, bytes, size);
    }
    ring_commit(&memory_ring, &record);
}

static void put_all(const uint32_t *sizes)
{
    for (; *sizes; sizes++)
        put(*sizes);
}

static void interrupt(void)
{
    if (interrupted || operations++ != history.interrupted)
        return;
    interrupted = true;
    put_all(history.nested.of);
}

static void start(enum side side)
{
    now = operations = accepted = 0;
    interrupted = false;
    memory_interrupt = NULL;
    memory_start(side, history.mode, history.size, history.position);
    put_all(history.before.of);
    memory_interrupt = interrupt;
}

/* Records between tail and head; in normal mode the writer does not know the tail. */
static uint32_t records_left(void)
{
    uint32_t count = 0;

    for (uint64_t at = memory_ring.tail; at < memory_ring.head; count++) {
        const struct perf_event_header *header =
            (const struct perf_event_header *)(memory_ring.bytes + (at & (history.size - 1)));

        if (header->size < sizeof(*header) || header->size > memory_ring.head - at)
            transcript_fault("the writer has left a size that cannot be");
        at += header->size;
    }
    return count;
}

static void check_account(void)
{
    if (memory_ring.published != memory_ring.head || memory_ring.nest != 0)
        transcript_fault("the writer has left something unpublished");
    if (memory_ring.produced != accepted + memory_ring.dropped)
        transcript_fault("produced != accepted + dropped");
    if (history.mode == RING_OVERWRITE && accepted != records_left() + memory_ring.overwritten)
        transcript_fault("accepted != readable + overwritten");
}

void history_writer(void)
{
    start(WRITER);
    memory_tell();
    for (const uint32_t *size = history.writes.of; *size; size++) {
        struct {
            struct ring ring;
            uint64_t words[MEMORY_WORDS];
            uint64_t now;
            uint32_t operations, left, accepted, interrupted;
        } knows;

        memset(&knows, 0, sizeof(knows));
        knows.ring = memory_ring;
        memcpy(knows.words, memory_ring.bytes, history.size);
        knows.now = now;
        knows.operations = operations;
        knows.left = (uint32_t)(size - history.writes.of);
        knows.accepted = accepted;
        knows.interrupted = interrupted;
        transcript_note(&knows, sizeof(knows));
        put(*size);
    }
    check_account();
    transcript_end(memory_ring.head);
}

/* --- The reader. --- */

static struct ring_reader reader;
static bool last;                 /* nothing more is written */
static struct ring_reader called; /* at the start of ring_read */

/* True if the current call has skipped something. */
static bool has_skipped(void)
{
    return reader.skipped != called.skipped;
}

/* How far the position has advanced, not counting what was skipped. */
static uint64_t has_read(void)
{
    return reader.position - called.position - (reader.skipped - called.skipped);
}

/*
 * Each iteration of ring_read's loop begins with a load of `published`, and depends on the previous
 * iteration only through the values noted here.
 */
static void begin_turn(void)
{
    uint64_t knows[] = {reader.position, has_read(), has_skipped() ? memory_tail_seen() : 0, last};

    transcript_note(knows, sizeof(knows));
}

/* Reads one record; false if there was none. */
static bool take(void)
{
    uint64_t bytes[MEMORY_WORDS + 1];
    const struct perf_event_header *header = (const struct perf_event_header *)bytes;
    enum ring_read_result result;
    uint64_t size = 0;

    called = reader;
    result = ring_read(&reader, bytes, sizeof(bytes));
    if (result == RING_READ_RECORD && history.mode == RING_NORMAL)
        ring_consume(&memory_ring, &reader);
    if (result == RING_READ_TOO_LARGE)
        transcript_fault("the reader met a record larger than the ring");
    if (result == RING_READ_RECORD) {
        size = header->size;
        if (size == 0 || size > history.size || size % 8)
            transcript_fault("the reader has got a size that cannot be");
        if (payload_fault(bytes, reader.position - size))
            transcript_fault("the reader has got a record that does not prove itself");
    }
    if (has_read() != size)
        transcript_fault("read and skipped bytes do not add up");
    if (has_skipped() && history.mode == RING_NORMAL)
        transcript_fault("records that were not consumed are gone");
    if (has_skipped() && reader.position - size > memory_tail_seen())
        transcript_fault("the reader took sound bytes for damaged ones");
    return result == RING_READ_RECORD;
}

/* Reads at any times, until it finds nothing after the writer's end. */
void history_reader(void)
{
    start(READER);
    memory_turn = begin_turn;
    memory_tell();
    ring_reader_start(&reader, &memory_ring);
    do
        last = transcript_ask();
    while (take() || !last);
    transcript_end(reader.position);
}

/* --- Start state and limits. --- */

void history_memory(uint64_t memory[])
{
    start(WRITER);
    for (unsigned i = 0; i < LOCATIONS; i++)
        memory[i] = memory_word(i);
}

/* In an empty ring nothing is dropped; in one with records the tail may have to be moved. */
uint32_t history_operations(void)
{
    struct history_sizes before = history.before;
    uint32_t most;

    start(WRITER);
    put_all(history.writes.of);
    most = operations;
    history.before = (struct history_sizes){0};
    start(WRITER);
    put_all(history.writes.of);
    history.before = before;
    return operations > most ? operations : most;
}

static void print_sizes(const char *what, const uint32_t *sizes)
{
    printf("%s", what);
    for (; *sizes; sizes++)
        printf(" %u", *sizes);
}

void history_print(const struct history *which)
{
    printf("%s ring of %u at %llu,", which->mode == RING_OVERWRITE ? "overwriting" : "normal",
           which->size, (unsigned long long)which->position);
    print_sizes(" with", which->before.of);
    print_sizes(", writes", which->writes.of);
    if (which->interrupted != HISTORY_NEVER) {
        printf(", before operation %u", which->interrupted);
        print_sizes(" of which comes", which->nested.of);
    }
    printf("\n");
}
