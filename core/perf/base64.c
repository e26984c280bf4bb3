/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stands between core/perf/stream.c and the console where there is no serial port to spare for the
 * stream. Holds back less than a line, so that every line but the last is full and each is written
 * whole.
 */
#include "core/perf/base64.h"

#include "core/string.h"

#define GROUP_BYTES 3 /* become four characters */

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/* Up to three bytes as four characters, '=' for those that nothing of them falls into. */
static void encode_group(char text[4], const uint8_t *bytes, size_t count)
{
    uint32_t bits = (uint32_t)bytes[0] << 16;

    if (count > 1) {
        bits |= (uint32_t)bytes[1] << 8;
    }
    if (count > 2) {
        bits |= bytes[2];
    }
    text[0] = digits[bits >> 18];
    text[1] = digits[bits >> 12 & 63];
    text[2] = count > 1 ? digits[bits >> 6 & 63] : '=';
    text[3] = count > 2 ? digits[bits & 63] : '=';
}

static void write_line(struct base64 *base64)
{
    char text[BASE64_LINE_BYTES / GROUP_BYTES * 4 + 1];
    size_t length = 0;

    for (size_t done = 0; done < base64->held; done += GROUP_BYTES) {
        encode_group(text + length, base64->line + done, base64->held - done);
        length += 4;
    }
    text[length++] = '\n';
    base64->behind->write(base64->behind, text, length);
    base64->held = 0;
}

static void base64_write(struct sink *sink, const char *bytes, size_t length)
{
    struct base64 *base64 = (struct base64 *)((char *)sink - offsetof(struct base64, sink));

    while (length > 0) {
        size_t room = BASE64_LINE_BYTES - base64->held;
        size_t taken = length < room ? length : room;

        memcpy(base64->line + base64->held, bytes, taken);
        base64->held += taken;
        bytes += taken;
        length -= taken;
        if (base64->held == BASE64_LINE_BYTES) {
            write_line(base64);
        }
    }
}

void base64_open(struct base64 *base64, struct sink *behind, const char *name)
{
    base64->sink.write = base64_write;
    base64->behind = behind;
    base64->held = 0;
    print_to(behind, "begin-base64 644 %s\n", name);
}

void base64_close(struct base64 *base64)
{
    if (base64->held > 0) {
        write_line(base64);
    }
    print_to(base64->behind, "====\n");
}
