/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Packets of gdb's remote protocol over a line of bytes: frames, checksums, acknowledgements,
 * escapes. Source: the manual of gdb, "Remote Protocol: Overview". One CPU at a time, in whatever
 * context the line works in; waits by asking the line.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GDB_PACKET_MAX 4096 /* characters of a packet, without its frame */

#define GDB_BREAK 0x03 /* the one byte that is no packet: stop */

#define GDB_TEXT_MAX 512 /* characters of a text in one packet, of which each is two, */
#define GDB_PIECE    16  /* ... and bytes of it that are sent at a time */

struct gdb_line {
    int (*get)(void); /* the next byte, which it waits for; -1: there will be none */
    void (*put)(const char *bytes, size_t length);
    bool (*ready)(void); /* a piece of GDB_PIECE bytes can be put without a wait */
};

struct gdb_link {
    const struct gdb_line *line;
    bool no_ack; /* neither side says + or - any more */
    bool begun;  /* the $ of the next packet has been read */

    char in[GDB_PACKET_MAX + 1]; /* a packet's escapes are gone, and a NUL follows it */
    size_t in_length;
    char out[GDB_PACKET_MAX + 1];
    size_t out_length;
    bool out_cut; /* something did not fit */

    /* A packet with text for a person, frame and all, and how much of it has been sent. */
    char text[2 * GDB_TEXT_MAX + sizeof("$O#00")];
    size_t text_length, text_sent;

    /* What has gone wrong on the line, for `gdb` on the console. */
    struct {
        uint64_t bad_sums, too_long, resent, noise;
    } counts;
};

void gdb_link_init(struct gdb_link *link, const struct gdb_line *line);

/*
 * Waits for the next good packet. 0; -E2BIG: there was one, but longer than GDB_PACKET_MAX; -EPIPE:
 * the line has ended.
 */
int gdb_link_receive(struct gdb_link *link);

/* What is to be sent: begun anew, and added to. */
void gdb_out_begin(struct gdb_link *link);
void gdb_out_char(struct gdb_link *link, char character);
void gdb_out_text(struct gdb_link *link, const char *text);
void gdb_out_number(struct gdb_link *link, uint64_t number);
void gdb_out_bytes(struct gdb_link *link, const uint8_t *bytes, size_t count);
/* As they are, escaped where they would be taken for the frame. False, and nothing is added, if
 * there is no room. */
bool gdb_out_binary(struct gdb_link *link, uint8_t byte);

/* Sends it, again as long as the other side says that it was damaged. -EPIPE: the line has ended.
 */
int gdb_link_send(struct gdb_link *link);

/* Sends it once, and waits for no answer: for what is no reply. */
void gdb_link_send_once(struct gdb_link *link);

/*
 * A packet of text, of up to GDB_TEXT_MAX characters, is made, beside what is to be sent else; and
 * sent by the piece: false when all of it has been. Between two pieces a stop may come and send the
 * rest, and packets of its own: then there is nothing left to send.
 */
void gdb_link_make_text(struct gdb_link *link, const char *text, size_t length);
bool gdb_link_send_piece(struct gdb_link *link);
