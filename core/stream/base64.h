/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A sink that passes its bytes on as a `begin-base64` block, the text format that uudecode reads,
 * for machines whose only serial line is the console. Between open and close nothing else may be
 * printed there, and the line ends are bare LF (GNU sharutils' uudecode refuses foreign lines and
 * CR LF): the sink that it writes to must not turn LF into CR LF. Format: POSIX, uuencode, "Base64
 * Algorithm". Task context; base64_cut in a panic's.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "core/lib/print.h"

#define BASE64_LINE_BYTES 45 /* to 60 characters, as uuencode itself writes them */
#define BASE64_LINE_TEXT  80 /* the first line, with the name, is the longest */

struct base64 {
    struct sink sink; /* what to write the bytes to */
    struct sink *behind;
    const uint64_t *left; /* counts the characters that `behind` has sent; NULL: not counted */
    size_t held;
    uint8_t line[BASE64_LINE_BYTES];
    char text[BASE64_LINE_TEXT]; /* the line that is being written; */
    size_t length;               /* ... its length; 0: no line is */
    uint64_t left_before;        /* ... and the value of *left when it began */
};

/*
 * Begins a block that uudecode writes to the file `name`, of up to 40 characters, mode 644. `left`
 * may be NULL: a block that is cut may then end in an empty line, which uudecode refuses.
 */
void base64_open(struct base64 *base64, struct sink *behind, const uint64_t *left,
                 const char *name);

/* Writes what is held back and ends the block. */
void base64_close(struct base64 *base64);

/*
 * Ends a block whose writing has been interrupted and will not continue: writes the rest of the
 * line that was being written, then the end. Bytes that were held back are lost.
 */
void base64_cut(struct base64 *base64);
