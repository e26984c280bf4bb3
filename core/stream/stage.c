/* SPDX-License-Identifier: BSD-2-Clause */
/* See stage.h. */
#include "core/stream/stage.h"

#include "arch/local.h"
#include "core/lib/assert.h"
#include "core/lib/crc32.h"
#include "core/lib/string.h"

size_t stage_round_up(size_t size)
{
    return (size + 7) & ~(size_t)7;
}

/* Applies the state changes that go with the bytes just sent. Idempotent. */
static void settle(struct stream *stream)
{
    stream->bytes = stream->bytes_after;
    stream->crc = stream->crc_after;
    stream->records = stream->records_after;
    if (stream->packs && stream->leaving_length == 0)
        stream->packer->zstd.end = stream->packer->end_after;
    else if (stream->packs)
        zstd_commit(&stream->packer->zstd);
    stream->staged_length = stream->staged_after;
    local_barrier(); /* a crash before this sees `sending` and repeats all of it */
    stream->sending = false;
}

/* Sends these bytes, which complete `records` records; staged_after bytes stay staged. */
static void leave(struct stream *stream, const void *bytes, size_t length, unsigned records,
                  size_t staged_after)
{
    stream->leaving = bytes;
    stream->leaving_length = length;
    stream->staged_after = staged_after;
    stream->bytes_after = stream->bytes + length;
    stream->crc_after = crc32_update(stream->crc, bytes, length);
    stream->records_after = stream->records + records;
    stream->left_before = stream->left ? *stream->left : 0;
    local_barrier(); /* a crash that sees `sending` sees the fields above */
    stream->sending = true;
    local_barrier();
    if (length > 0)
        stream->sink->write(stream->sink, bytes, length);
    local_barrier();
    settle(stream);
}

/* Sends the staged bytes. `whole`: they complete a record. */
static void send(struct stream *stream, bool whole)
{
    assert(!stream->packs); /* only the head has records longer than the stage */
    leave(stream, stream->staged, stream->staged_length, whole, 0);
}

void stream_flush(struct stream *stream)
{
    struct stream_packer *packer = stream->packer;
    size_t size;

    if (!stream->packs || packer->zstd.end == packer->zstd.flushed)
        return;
    size = sizeof(packer->header) + zstd_flush(&packer->zstd, packer->body);
    packer->header =
        (struct perf_event_header){.type = PERF_PIPE_COMPRESSED, .size = (uint16_t)size};
    leave(stream, &packer->header, size, 0, stream->staged_length);
}

/* Once the packer has a record, the rings' readers count it as sent: a crash flushes it. */
static void pack(struct stream *stream)
{
    if (zstd_room(&stream->packer->zstd) < stream->staged_length)
        stream_flush(stream);
    stream->packer->end_after =
        zstd_put(&stream->packer->zstd, stream->staged, stream->staged_length);
    leave(stream, stream->staged, 0, 1, 0);
}

void stage_bytes(struct stream *stream, const void *bytes, size_t length)
{
    const uint8_t *from = bytes;

    while (length > 0) {
        size_t room = STREAM_STAGE - stream->staged_length;
        size_t part = length < room ? length : room;

        assert(stream->staged_length <= STREAM_STAGE);
        memcpy(stream->staged + stream->staged_length, from, part);
        stream->staged_length += part;
        from += part;
        length -= part;
        if (length > 0)
            send(stream, false);
    }
}

void stage_end(struct stream *stream)
{
    if (stream->ending && stream->end_start + stream->end_put++ < stream->records)
        stream->staged_length = 0;
    else if (stream->packs)
        pack(stream);
    else
        send(stream, true);
}

void stage_u64(struct stream *stream, uint64_t value)
{
    stage_bytes(stream, &value, sizeof(value));
}

void stage_u32_pair(struct stream *stream, uint32_t first, uint32_t second)
{
    const uint32_t pair[2] = {first, second};

    stage_bytes(stream, pair, sizeof(pair));
}

void stage_text(struct stream *stream, const char *text, size_t room)
{
    static const uint8_t zeroes[8];
    size_t length = strlen(text);

    assert(length <= room); /* the record's header already includes `room` */
    stage_bytes(stream, text, length);
    for (room -= length; room > sizeof(zeroes); room -= sizeof(zeroes))
        stage_bytes(stream, zeroes, sizeof(zeroes));
    stage_bytes(stream, zeroes, room);
}

struct perf_event_header stage_header_of(uint32_t type, unsigned misc, size_t size)
{
    return (struct perf_event_header){.type = type, .misc = (uint16_t)misc, .size = (uint16_t)size};
}

void stage_header(struct stream *stream, uint32_t type, unsigned misc, size_t size)
{
    const struct perf_event_header header = stage_header_of(type, misc, size);

    stage_bytes(stream, &header, sizeof(header));
}

void stage_header_with_id(struct stream *stream, uint32_t type, unsigned misc, size_t size)
{
    const uint64_t fields = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID |
                            PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER;

    for (uint64_t left = stream->first.attr.sample_type & fields; left != 0; left &= left - 1)
        size += sizeof(uint64_t);
    stage_header(stream, type, misc, size);
}

void stage_end_with_id(struct stream *stream, const struct stage_origin *origin)
{
    const struct recorded_event *event = &stream->first;
    const struct {
        uint64_t field, value;
    } trailer[] = {
        {PERF_SAMPLE_TID, (uint64_t)origin->tid << 32 | origin->pid},
        {PERF_SAMPLE_TIME, origin->time},
        {PERF_SAMPLE_ID, event->id},
        {PERF_SAMPLE_STREAM_ID, event->id},
        {PERF_SAMPLE_CPU, origin->cpu},
        {PERF_SAMPLE_IDENTIFIER, event->id},
    };

    for (size_t i = 0; i < sizeof(trailer) / sizeof(trailer[0]); i++)
        if (event->attr.sample_type & trailer[i].field)
            stage_u64(stream, trailer[i].value);
    stage_end(stream);
}

bool stream_recover(struct stream *stream)
{
    uint64_t gone;

    if (!stream->left)
        return false;
    if (stream->sending) {
        gone = *stream->left - stream->left_before;
        if (gone < stream->leaving_length)
            stream->sink->write(stream->sink, (const char *)stream->leaving + gone,
                                stream->leaving_length - gone);
        settle(stream);
    }
    stream->staged_length = 0;
    return true;
}
