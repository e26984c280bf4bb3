/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Packets of gdb's remote protocol over a line of bytes: frames, checksums, acknowledgements,
 * escapes. Source: the manual of gdb, "Remote Protocol: Overview". One CPU at a time, in the
 * context that the line works in; waits by polling the line.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GDB_PACKET_MAX 4096 /* characters of a packet, without its frame */

#define GDB_BREAK 0x03 /* the one byte that is no packet: it asks for a stop */

#define GDB_TEXT_MAX 512 /* characters of text in one packet; each is sent as two, */
#define GDB_PIECE    16  /* ... and how many of these bytes are sent at a time */

struct gdb_line {
    int (*get)(void); /* waits for the next byte; -1: there will be none */
    void (*put)(const char *bytes, size_t length);
    bool (*ready)(void); /* a piece of GDB_PIECE bytes can be put without a wait */
};

struct gdb_link {
    const struct gdb_line *line;
    bool no_ack;      /* neither side sends + or - any more */
    bool begun;       /* the $ of the next packet has been read */
    bool interrupted; /* GDB_BREAK has been read outside of a packet. The caller clears it when it
                       * has answered, a new gdb's first packet does, too. A caller that also reads
                       * the line in an NMI accesses it atomically */

    char in[GDB_PACKET_MAX + 1]; /* escapes have been removed, and a NUL follows */
    size_t in_length;
    char out[GDB_PACKET_MAX + 1];
    size_t out_length;
    bool out_cut; /* something did not fit */

    /* A packet with text for the user, including its frame, and how much of it has been sent. */
    char text[2 * GDB_TEXT_MAX + sizeof("$O#00")];
    size_t text_length, text_sent;

    /* Errors of the line, which `gdb` on the console prints. */
    struct {
        uint64_t bad_sums, too_long, resent, noise;
    } counts;
};

void gdb_link_init(struct gdb_link *link, const struct gdb_line *line);

/*
 * Waits for the next good packet. Returns 0; -E2BIG: the packet was longer than GDB_PACKET_MAX;
 * -EPIPE: the line has ended.
 */
int gdb_link_receive(struct gdb_link *link);

/* The packet to send: begins an empty one, and adds to it. */
void gdb_out_begin(struct gdb_link *link);
void gdb_out_char(struct gdb_link *link, char character);
void gdb_out_text(struct gdb_link *link, const char *text);
void gdb_out_number(struct gdb_link *link, uint64_t number);
void gdb_out_bytes(struct gdb_link *link, const uint8_t *bytes, size_t count);
/*
 * Adds a byte as it is, escaped if it would be taken for part of the frame. False, and nothing is
 * added, if there is no room.
 */
bool gdb_out_binary(struct gdb_link *link, uint8_t byte);

/*
 * Sends the packet, and again as long as the other side reports damage. -EPIPE: the line has ended.
 */
int gdb_link_send(struct gdb_link *link);

/* Sends the packet once, without waiting for an answer: for packets that are no replies. */
void gdb_link_send_once(struct gdb_link *link);

/*
 * The first makes a packet of text, of up to GDB_TEXT_MAX characters, apart from the packet above.
 * The second sends a piece of it: false when all of it has been sent. Between two pieces a stop may
 * come, which sends the rest, and packets of its own: then nothing is left to send.
 */
void gdb_link_make_text(struct gdb_link *link, const char *text, size_t length);
bool gdb_link_send_piece(struct gdb_link *link);
