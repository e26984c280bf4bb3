/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * core/stream on any bytes, against libzstd. libFuzzer's bytes become pieces: new ones, copies from
 * a distance back, and runs; each flush decodes to what was written since the last one. Run by
 * tests/host/fuzz.t (docs/proof.md).
 *
 * links: core/stream/zstd_encoder.c core/stream/zstd_sequences.c tests/fuzz/feed.c
 * libs: -lzstd
 */
#include <string.h>

#include <zstd.h>

#include "core/stream/zstd_encoder.h"
#include "tests/fuzz/claim.h"
#include "tests/fuzz/feed.h"

#define PIECES_MOST 400
#define PUT_MOST    (1u << 18) /* past the end of the window, several times */

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static struct zstd zstd;
static uint8_t input[PUT_MOST]; /* everything that was put in */
static size_t put_bytes, flushed_bytes;
static ZSTD_DStream *decoder;

static void flush(void)
{
    static uint8_t encoded[ZSTD_FLUSH_MAX], decoded[ZSTD_PENDING_MAX + 1];
    ZSTD_inBuffer in = {.src = encoded};
    ZSTD_outBuffer out = {decoded, sizeof(decoded), 0};
    size_t waits = put_bytes - flushed_bytes;

    if (!waits)
        return;
    in.size = zstd_flush(&zstd, encoded);
    CLAIM(in.size <= sizeof(encoded));
    CLAIM(!ZSTD_isError(ZSTD_decompressStream(decoder, &out, &in)) && in.pos == in.size);
    CLAIM(out.pos == waits && memcmp(decoded, input + flushed_bytes, waits) == 0);
    zstd_commit(&zstd);
    flushed_bytes = put_bytes;
}

/* The next byte: from the feed, from `distance` before, or of a run. */
static uint8_t piece_byte(struct feed *feed, unsigned kind, size_t distance, uint8_t run)
{
    if (kind == 0)
        return feed_byte(feed);
    return kind == 1 && distance > 0 && distance <= put_bytes ? input[put_bytes - distance] : run;
}

static void put_piece(struct feed *feed)
{
    unsigned kind = feed_byte(feed) % 3;
    size_t distance = feed_number(feed, 3) % (2 * ZSTD_WINDOW);
    size_t length = kind == 0 ? 1 + feed_byte(feed) % 32 : 1 + feed_number(feed, 2) % 3000;
    uint8_t run = feed_byte(feed);
    size_t from = put_bytes;

    if (length > PUT_MOST - put_bytes)
        return;
    for (size_t i = 0; i < length; i++, put_bytes++)
        input[put_bytes] = piece_byte(feed, kind, distance, run);
    if (length > zstd_room(&zstd)) {
        put_bytes = from;
        flush();
        put_bytes = from + length;
    }
    zstd.end = zstd_put(&zstd, input + from, length);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct feed feed = {bytes, size};

    if (!decoder)
        decoder = ZSTD_createDStream();
    ZSTD_initDStream(decoder);
    zstd_init(&zstd);
    put_bytes = flushed_bytes = 0;
    for (unsigned i = 0; i < PIECES_MOST && !feed_is_empty(&feed); i++) {
        put_piece(&feed);
        if (feed_byte(&feed) % 4 == 0)
            flush();
    }
    flush();
    return 0;
}
