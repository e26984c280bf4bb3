/* SPDX-License-Identifier: BSD-2-Clause */
/* See base64.h. Bytes are buffered until they fill a line, which is then written at once. */
#include "core/stream/base64.h"

#include "core/lib/assert.h"
#include "core/lib/string.h"

#define GROUP_BYTES 3 /* encoded as four characters */

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/* Encodes up to three bytes as four characters; unused characters are '='. */
static void encode_group(char text[4], const uint8_t *bytes, size_t count)
{
    uint32_t bits = (uint32_t)bytes[0] << 16 | (count > 1 ? (uint32_t)bytes[1] << 8 : 0) |
                    (count > 2 ? bytes[2] : 0);

    text[0] = digits[bits >> 18];
    text[1] = digits[bits >> 12 & 63];
    text[2] = count > 1 ? digits[bits >> 6 & 63] : '=';
    text[3] = count > 2 ? digits[bits & 63] : '=';
}

_Static_assert(BASE64_LINE_BYTES / GROUP_BYTES * 4 + 1 <= BASE64_LINE_TEXT, "a line has room");

/*
 * Sets the length after the text, and clears it before the text changes, so that a panic on this
 * CPU always finds a complete line or none.
 */
static void set_length(struct base64 *base64, size_t length)
{
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    __atomic_store_n(&base64->length, length, __ATOMIC_RELAXED);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

/* Writes the line in `text`, including its newline. */
static void write_text(struct base64 *base64, size_t length)
{
    assert(length > 0 && length <= sizeof(base64->text)); /* the caller's name fits into the line */
    base64->left_before = base64->left ? *base64->left : 0;
    set_length(base64, length);
    base64->behind->write(base64->behind, base64->text, length);
    set_length(base64, 0);
}

static void write_line(struct base64 *base64)
{
    size_t length = 0;

    for (size_t done = 0; done < base64->held; done += GROUP_BYTES) {
        encode_group(base64->text + length, base64->line + done, base64->held - done);
        length += 4;
    }
    base64->text[length++] = '\n';
    write_text(base64, length);
    base64->held = 0;
}

static void base64_write(struct sink *sink, const char *bytes, size_t length)
{
    struct base64 *base64 = (struct base64 *)((char *)sink - offsetof(struct base64, sink));

    while (length > 0) {
        size_t room = BASE64_LINE_BYTES - base64->held;

        assert(room > 0); /* full lines are written at once */
        size_t taken = length < room ? length : room;

        memcpy(base64->line + base64->held, bytes, taken);
        base64->held += taken;
        bytes += taken;
        length -= taken;
        if (base64->held == BASE64_LINE_BYTES)
            write_line(base64);
    }
}

void base64_open(struct base64 *base64, struct sink *behind, const uint64_t *left, const char *name)
{
    *base64 = (struct base64){.sink = {base64_write}, .behind = behind, .left = left};
    write_text(base64,
               print_into(base64->text, sizeof(base64->text), "begin-base64 644 %s\n", name));
}

void base64_close(struct base64 *base64)
{
    if (base64->held > 0)
        write_line(base64);
    write_text(base64, print_into(base64->text, sizeof(base64->text), "====\n"));
}

/* uudecode refuses empty lines and incomplete groups, so the rest of the same line is written. */
void base64_cut(struct base64 *base64)
{
    uint64_t gone = base64->left ? *base64->left - base64->left_before : UINT64_MAX;

    if (base64->length > 0 && gone <= base64->length) {
        base64->behind->write(base64->behind, base64->text + gone, base64->length - gone);
    } else if (base64->length > 0) {
        base64->behind->write(base64->behind, "\n", 1);
    }
    print_to(base64->behind, "====\n");
}
