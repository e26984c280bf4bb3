/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A sink that encodes its bytes as a `begin-base64` block, the text format of uudecode, for
 * machines whose only serial line is the console. GNU sharutils' uudecode refuses foreign lines and
 * CR LF: print nothing else between open and close, and the underlying sink must not translate LF.
 * Format: POSIX, uuencode, "Base64 Algorithm". Task context; base64_cut runs in panic context.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "core/lib/print.h"

#define BASE64_LINE_BYTES 45 /* 60 characters, the line length of uuencode */
#define BASE64_LINE_TEXT  80 /* the longest line is the first, with the name */

struct base64 {
    struct sink sink; /* the caller writes its bytes here */
    struct sink *behind;
    const uint64_t *left; /* characters that `behind` has sent; NULL: not counted */
    size_t held;
    uint8_t line[BASE64_LINE_BYTES];
    char text[BASE64_LINE_TEXT]; /* the line being written */
    size_t length;               /* length of `text`; 0: no line is being written */
    uint64_t left_before;        /* *left when that line began */
};

/*
 * Begins a block that uudecode extracts to the file `name` (at most 40 characters) with mode 644.
 * If `left` is NULL, a block that is cut may end in an empty line, which uudecode refuses.
 */
void base64_open(struct base64 *base64, struct sink *behind, const uint64_t *left,
                 const char *name);

/* Writes the buffered bytes and ends the block. */
void base64_close(struct base64 *base64);

/* Completes the line and ends a block whose writer was interrupted. Buffered bytes are lost. */
void base64_cut(struct base64 *base64);
