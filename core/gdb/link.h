/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Packets of gdb's remote protocol over a byte stream, and the numbers and bytes in them:
 * hexadecimal, in address order. Source: the manual of gdb, "Remote Protocol: Overview". One CPU at
 * a time, in any context that the line supports; waits by polling the line.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/pitot_boot.h"

#define GDB_PACKET_MAX 4096 /* characters of a packet, without its frame */

#define GDB_BREAK 0x03 /* a single byte outside packets that requests a stop */

#define GDB_TEXT_MAX 512 /* characters of text in one packet, each sent as two digits */

struct gdb_link {
    const struct gdb_line *line;
    bool no_ack; /* neither side sends + or - any more */
    bool begun;  /* the $ of the next packet has been read */
    /*
     * GDB_BREAK has been read outside a packet. Cleared by the caller once it has answered, and by
     * a new gdb's first packet. Atomic where an NMI also reads the line.
     */
    bool interrupted;

    char in[GDB_PACKET_MAX + 1]; /* escapes removed, NUL-terminated */
    size_t in_length;
    char out[GDB_PACKET_MAX + 1];
    size_t out_length;
    bool out_cut; /* the packet did not fit */

    /* A packet with text for the user, including its frame, and how much of it has been sent. */
    char text[2 * GDB_TEXT_MAX + sizeof("$O#00")];
    size_t text_length, text_sent;

    /* Printed by the console command `gdb`. */
    struct {
        uint64_t bad_sums, too_long, resent, noise;
    } counts;
};

void gdb_link_init(struct gdb_link *link, const struct gdb_line *line);

/* Waits for a valid packet. -E2BIG: it exceeds GDB_PACKET_MAX; -EPIPE: the line has ended. */
int gdb_link_receive(struct gdb_link *link);

/* gdb_out_begin begins an empty packet; the others add to it. */
void gdb_out_begin(struct gdb_link *link);
void gdb_out_char(struct gdb_link *link, char character);
void gdb_out_text(struct gdb_link *link, const char *text);
void gdb_out_number(struct gdb_link *link, uint64_t number);
void gdb_out_bytes(struct gdb_link *link, const uint8_t *bytes, size_t count);
/* Adds a byte, escaped if it could be mistaken for framing. Returns false if it does not fit. */
bool gdb_out_binary(struct gdb_link *link, uint8_t byte);

/* Sends the packet, and again while gdb reports damage. -EPIPE: the line has ended. */
int gdb_link_send(struct gdb_link *link);

/* Sends the packet once, without waiting for an acknowledgement. */
void gdb_link_send_once(struct gdb_link *link);

/*
 * gdb_link_make_text builds a separate packet, of at most GDB_TEXT_MAX characters of text.
 * gdb_link_send_piece sends its next piece, and returns false if no piece is left. A stop between
 * two pieces sends the rest.
 */
void gdb_link_make_text(struct gdb_link *link, const char *text, size_t length);
bool gdb_link_send_piece(struct gdb_link *link);

/*
 * Reads a number and moves *at past it. Returns false, with *at undefined, if there is no digit or
 * the number has more than 64 bits.
 */
bool hex_number(const char **at, uint64_t *number);

/* Reads `count` bytes, two digits each, and moves *at past them; false: a digit is missing. */
bool hex_bytes(const char **at, uint8_t *bytes, size_t count);

/* If the string at *at begins with `word`, moves *at past it and returns true. */
bool text_skip(const char **at, const char *word);
