/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A sink that passes its bytes on as a `begin-base64` block, the text form that uudecode reads: for
 * machines whose only serial line is the console. Between open and close nothing else may be
 * printed there, and the line ends are bare LF (GNU sharutils' uudecode refuses foreign lines and
 * CR LF): the sink behind must not turn LF into CR LF. Format: POSIX, uuencode, "Base64 Algorithm".
 * Task context.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "core/print.h"

#define BASE64_LINE_BYTES 45 /* to 60 characters, as uuencode itself writes them */

struct base64 {
    struct sink sink; /* what to write the bytes to */
    struct sink *behind;
    size_t held;
    uint8_t line[BASE64_LINE_BYTES];
};

/* Begins a block that uudecode writes to the file `name`, mode 644. */
void base64_open(struct base64 *base64, struct sink *behind, const char *name);

/* Writes what is held back and ends the block. */
void base64_close(struct base64 *base64);
