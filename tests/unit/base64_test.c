/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * core/stream/base64.c: the test vectors of RFC 4648; data of any length, in pieces of any size,
 * decodes to the same bytes; a block that is cut off at any character still ends in a complete
 * line. tests/host/stream_perf.t gives a block to the real uudecode.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "core/stream/base64.h"

#define LONGEST 200

struct captured {
    struct sink sink;
    jmp_buf *interrupt; /* if set: jumped to in the write that reaches `patience` characters */
    size_t patience;
    uint64_t left; /* never reset, like a port's count */
    char text[4096];
    size_t length;
};

static void capture(struct sink *sink, const char *bytes, size_t length)
{
    struct captured *captured = (struct captured *)sink;

    assert_true(captured->length + length < sizeof(captured->text));
    for (size_t i = 0; i < length; i++) {
        if (captured->interrupt && captured->length == captured->patience)
            longjmp(*captured->interrupt, 1);
        captured->text[captured->length++] = bytes[i];
        captured->left++;
    }
    captured->text[captured->length] = '\0';
}

/* Encodes `length` bytes, passed in pieces of at most `piece`. */
static void encode(struct captured *captured, const uint8_t *bytes, size_t length, size_t piece)
{
    struct base64 base64;

    *captured = (struct captured){.sink.write = capture};
    base64_open(&base64, &captured->sink, &captured->left, "pitot.perf");
    for (size_t done = 0; done < length; done += piece) {
        size_t count = length - done < piece ? length - done : piece;

        base64.sink.write(&base64.sink, (const char *)bytes + done, count);
    }
    base64_close(&base64);
}

static unsigned value_of(char digit)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *found = strchr(digits, digit);

    assert_true(digit != '\0' && found != NULL);
    return (unsigned)(found - digits);
}

/* Decodes one line; returns the number of bytes. */
static size_t decode_line(const char *line, size_t length, uint8_t *bytes)
{
    size_t count = 0;

    assert_int_equal(length % 4, 0);
    for (size_t i = 0; i < length; i += 4) {
        size_t padding = line[i + 3] != '=' ? 0 : line[i + 2] != '=' ? 1 : 2;
        uint32_t bits = 0;

        for (size_t digit = 0; digit < 4; digit++) {
            bits = bits << 6 | (digit < 4 - padding ? value_of(line[i + digit]) : 0);
        }
        for (size_t byte = 0; byte < 3 - padding; byte++) {
            bytes[count++] = (uint8_t)(bits >> (16 - 8 * byte));
        }
    }
    return count;
}

static void the_vectors_of_the_rfc_are_encoded_as_it_says(void **state)
{
    static const char *const vectors[][2] = {
        {"", ""},
        {"f", "Zg==\n"},
        {"fo", "Zm8=\n"},
        {"foo", "Zm9v\n"},
        {"foob", "Zm9vYg==\n"},
        {"fooba", "Zm9vYmE=\n"},
        {"foobar", "Zm9vYmFy\n"},
    };
    static struct captured captured;

    (void)state;
    for (size_t i = 0; i < sizeof(vectors) / sizeof(vectors[0]); i++) {
        char expected[80] = "begin-base64 644 pitot.perf\n";

        strcat(expected, vectors[i][1]);
        strcat(expected, "====\n");
        encode(&captured, (const uint8_t *)vectors[i][0], strlen(vectors[i][0]), 1);
        assert_string_equal(captured.text, expected);
    }
}

static void every_length_comes_back_from_full_lines(void **state)
{
    static struct captured captured;
    uint8_t bytes[LONGEST], decoded[LONGEST + BASE64_LINE_BYTES];

    (void)state;
    for (size_t i = 0; i < LONGEST; i++) {
        bytes[i] = (uint8_t)(i * 89 + 250);
    }
    for (size_t length = 0; length <= LONGEST; length++) {
        size_t count = 0;

        encode(&captured, bytes, length, LONGEST);
        for (char *line = strchr(captured.text, '\n') + 1; strcmp(line, "====\n") != 0;) {
            char *end = strchr(line, '\n');
            size_t taken = decode_line(line, (size_t)(end - line), decoded + count);

            count += taken;
            assert_true(taken == BASE64_LINE_BYTES || (taken > 0 && count == length));
            line = end + 1;
        }
        assert_int_equal(count, length);
        assert_memory_equal(decoded, bytes, length);
    }
}

static void fill(uint8_t bytes[LONGEST], unsigned step)
{
    for (size_t i = 0; i < LONGEST; i++) {
        bytes[i] = (uint8_t)(i * step);
    }
}

static void the_pieces_in_which_bytes_come_make_no_difference(void **state)
{
    static struct captured whole, pieces;
    uint8_t bytes[LONGEST];

    (void)state;
    fill(bytes, 31);
    encode(&whole, bytes, LONGEST, LONGEST);
    for (size_t piece = 1; piece < LONGEST; piece++) {
        encode(&pieces, bytes, LONGEST, piece);
        assert_string_equal(pieces.text, whole.text);
    }
}

/* A block of `length` bytes, cut off after a given number of characters. */
static void encode_and_cut(struct captured *captured, const uint8_t *bytes, size_t length,
                           size_t patience, bool counted)
{
    static struct base64 base64;
    jmp_buf interrupt;

    *captured = (struct captured){
        .sink.write = capture, .interrupt = &interrupt, .patience = patience, .left = 1000};
    if (setjmp(interrupt) == 0) {
        base64_open(&base64, &captured->sink, counted ? &captured->left : NULL, "pitot.perf");
        base64.sink.write(&base64.sink, (const char *)bytes, length);
        base64_close(&base64);
        fail();
    }
    captured->interrupt = NULL;
    base64_cut(&base64);
}

static void a_block_cut_anywhere_ends_after_a_whole_line(void **state)
{
    static struct captured whole, cut;
    uint8_t bytes[LONGEST];

    (void)state;
    fill(bytes, 57);
    encode(&whole, bytes, LONGEST, LONGEST);
    for (size_t patience = 0; patience < whole.length; patience++) {
        size_t lines = (size_t)(strchr(whole.text + patience, '\n') + 1 - whole.text);

        encode_and_cut(&cut, bytes, LONGEST, patience, true);
        assert_memory_equal(cut.text, whole.text, lines);
        assert_string_equal(cut.text + lines, "====\n");
    }
}

static void without_a_count_it_ends_in_a_line_of_its_own(void **state)
{
    static struct captured whole, cut;
    uint8_t bytes[LONGEST] = {0};

    (void)state;
    encode(&whole, bytes, LONGEST, LONGEST);
    for (size_t patience = 0; patience < whole.length; patience++) {
        encode_and_cut(&cut, bytes, LONGEST, patience, false);
        assert_memory_equal(cut.text, whole.text, patience);
        assert_string_equal(cut.text + patience, "\n====\n");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_vectors_of_the_rfc_are_encoded_as_it_says),
        cmocka_unit_test(every_length_comes_back_from_full_lines),
        cmocka_unit_test(the_pieces_in_which_bytes_come_make_no_difference),
        cmocka_unit_test(a_block_cut_anywhere_ends_after_a_whole_line),
        cmocka_unit_test(without_a_count_it_ends_in_a_line_of_its_own),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
