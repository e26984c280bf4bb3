/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * core/stream against libzstd: any data decodes to what was encoded, flush by flush, beyond the end
 * of the window, and after a crash during a flush.
 *
 * libs: -lzstd
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <zstd.h>

#include "core/stream/zstd_encoder.h"
#include "tests/unit/random.h"

/* An encoder, and libzstd's decoder of its output. */
struct pair {
    struct zstd zstd;
    ZSTD_DStream *decoder;
    uint8_t input[ZSTD_PENDING_MAX]; /* the input since the last flush */
    size_t length;
    size_t encoded; /* bytes in total */
};

static struct pair pair;

static int begin(void **state)
{
    (void)state;
    zstd_init(&pair.zstd);
    pair.decoder = ZSTD_createDStream();
    pair.length = pair.encoded = 0;
    random_begin(1);
    return 0;
}

static int end(void **state)
{
    (void)state;
    ZSTD_freeDStream(pair.decoder);
    return 0;
}

static void put(const void *bytes, size_t length)
{
    assert_true(length <= zstd_room(&pair.zstd));
    pair.zstd.end = zstd_put(&pair.zstd, bytes, length);
    memcpy(pair.input + pair.length, bytes, length);
    pair.length += length;
}

/* After this flush, without more input, a decoder has everything that was put in. */
static void flush(void)
{
    uint8_t encoded[ZSTD_FLUSH_MAX], decoded[ZSTD_PENDING_MAX + 1];
    ZSTD_inBuffer in = {encoded, zstd_flush(&pair.zstd, encoded), 0};
    ZSTD_outBuffer out = {decoded, sizeof(decoded), 0};

    assert_true(in.size <= sizeof(encoded));
    assert_false(ZSTD_isError(ZSTD_decompressStream(pair.decoder, &out, &in)));
    assert_int_equal(in.pos, in.size);
    assert_int_equal(out.pos, pair.length);
    assert_memory_equal(decoded, pair.input, pair.length);
    zstd_commit(&pair.zstd);
    pair.encoded += in.size;
    pair.length = 0;
}

/* A sample of 10 frames: one of several stacks, and an increasing time. */
static void put_sample(unsigned stacks)
{
    static uint64_t time;
    uint64_t stack = random_below(stacks);
    uint64_t words[19] = {9 | (uint64_t)sizeof(words) << 48,
                          1,
                          0xffffffff80112340 + stack * 0x1230,
                          7 | UINT64_C(7) << 32,
                          time += 1000 + random_below(500),
                          0xffffffff80234560,
                          0,
                          11,
                          UINT64_C(-128)};

    for (unsigned i = 9; i < 19; i++)
        words[i] = 0xffffffff80100000 + (stack + i) * 0x4567;
    put(words, sizeof(words));
}

static void samples_come_to_few_bytes(void **state)
{
    unsigned samples = 10000;

    (void)state;
    for (unsigned i = 1; i <= samples; i++) {
        put_sample(8);
        if (i % 40 == 0)
            flush();
    }
    print_message("%zu bytes for %u samples of 152\n", pair.encoded, samples);
    assert_true(pair.encoded <= samples * 13);
}

static void any_bytes_come_back(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 3000; i++) {
        uint8_t bytes[ZSTD_PENDING_MAX];
        size_t length = 1 + random_below(i % 7 ? 600 : sizeof(bytes));
        unsigned values = 1u << random_below(9);

        for (size_t k = 0; k < length; k++)
            bytes[k] = (uint8_t)random_below(values);
        if (length > zstd_room(&pair.zstd))
            flush();
        put(bytes, length);
        if (random_below(3) == 0)
            flush();
    }
}

static void one_byte_and_one_value_come_back(void **state)
{
    uint8_t zeroes[ZSTD_PENDING_MAX] = {0};

    (void)state;
    put(zeroes, 1);
    flush();
    for (unsigned i = 0; i < 16; i++) {
        put(zeroes, sizeof(zeroes));
        flush();
    }
}

/* A crash has interrupted a flush or a put at some instruction: tables and sequences are in any
 * state. */
static void what_was_not_committed_is_encoded_again(void **state)
{
    uint8_t lost[ZSTD_FLUSH_MAX];

    (void)state;
    for (unsigned i = 0; i < 400; i++) {
        for (unsigned k = 0; k < 30; k++)
            put_sample(8);
        zstd_flush(&pair.zstd, lost);
        for (unsigned k = 0; k < 100; k++)
            pair.zstd.word_at[random_below(1u << ZSTD_HASH_LOG)] = (uint32_t)random_word();
        zstd_put(&pair.zstd, lost, 100);
        flush();
        zstd_commit(&pair.zstd);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(samples_come_to_few_bytes, begin, end),
        cmocka_unit_test_setup_teardown(any_bytes_come_back, begin, end),
        cmocka_unit_test_setup_teardown(one_byte_and_one_value_come_back, begin, end),
        cmocka_unit_test_setup_teardown(what_was_not_committed_is_encoded_again, begin, end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
