/* SPDX-License-Identifier: BSD-2-Clause */
/* See link.h. */
#include "core/gdb/link.h"

#include <linux/errno.h>

#include "core/lib/assert.h"
#include "core/lib/number.h"
#include "core/lib/string.h"

#define ESCAPE     '}'
#define ESCAPE_XOR 0x20

static char hex_digit(unsigned value)
{
    return "0123456789abcdef"[value & 15];
}

bool hex_number(const char **at, uint64_t *number)
{
    return number_read(at, 16, UINT64_MAX, number) == NUMBER_READ;
}

bool hex_bytes(const char **at, uint8_t *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++, *at += 2) {
        int high = number_digit((*at)[0], 16), low = high < 0 ? -1 : number_digit((*at)[1], 16);

        if (low < 0)
            return false;
        bytes[i] = (uint8_t)(high << 4 | low);
    }
    return true;
}

bool text_skip(const char **at, const char *word)
{
    size_t length = strlen(word);

    if (strncmp(*at, word, length) != 0)
        return false;
    *at += length;
    return true;
}

void gdb_link_init(struct gdb_link *link, const struct gdb_line *line)
{
    memset(link, 0, sizeof(*link));
    link->line = line;
}

/*
 * Bytes before '$' count as noise, except acknowledgements and GDB_BREAK: gdb may send a break
 * before it learns of this stop.
 */
static int await_start(struct gdb_link *link)
{
    int byte;

    if (link->begun) {
        link->begun = false;
        return 0;
    }
    while ((byte = link->line->get()) != '$') {
        if (byte < 0)
            return -EPIPE;
        if (byte == GDB_BREAK)
            link->interrupted = true;
        else
            link->counts.noise += byte != '+' && byte != '-';
    }
    return 0;
}

/* Reads up to the `#`; *length also counts characters that did not fit. */
static int read_body(struct gdb_link *link, size_t *length, uint8_t *sum)
{
    int byte;

    *length = 0;
    *sum = 0;
    while ((byte = link->line->get()) != '#') {
        if (byte < 0)
            return -EPIPE;
        if (byte == '$') { /* the end of the previous packet was lost */
            link->counts.bad_sums++;
            *length = 0;
            *sum = 0;
            continue;
        }
        if (*length < GDB_PACKET_MAX)
            link->in[*length] = (char)byte;
        ++*length;
        *sum = (uint8_t)(*sum + byte);
    }
    return 0;
}

/* Returns -EBADMSG if the next two digits are not the sum. */
static int read_sum(struct gdb_link *link, uint8_t sum)
{
    int high = link->line->get(), low = high < 0 ? -1 : link->line->get();

    if (low < 0)
        return -EPIPE;
    return number_digit((char)high, 16) == sum >> 4 && number_digit((char)low, 16) == (sum & 15)
               ? 0
               : -EBADMSG;
}

static void unescape(struct gdb_link *link, size_t length)
{
    size_t to = 0;

    assert(length <= GDB_PACKET_MAX); /* one more byte is for the NUL */
    for (size_t from = 0; from < length; from++) {
        bool escaped = link->in[from] == ESCAPE && from + 1 < length;

        from += escaped;
        link->in[to++] = (char)(link->in[from] ^ (escaped ? ESCAPE_XOR : 0));
    }
    link->in[to] = '\0';
    link->in_length = to;
}

static void acknowledge(struct gdb_link *link, const char *how)
{
    if (!link->no_ack)
        link->line->put(how, 1);
}

int gdb_link_receive(struct gdb_link *link)
{
    for (;;) {
        size_t length;
        uint8_t sum;
        int error = await_start(link);

        if (!error)
            error = read_body(link, &length, &sum);
        if (!error)
            error = read_sum(link, sum);
        if (error == -EBADMSG) {
            link->counts.bad_sums++;
            acknowledge(link, "-");
            continue;
        }
        if (error)
            return error;
        acknowledge(link, "+");
        if (length > GDB_PACKET_MAX) {
            link->counts.too_long++;
            return -E2BIG;
        }
        unescape(link, length);
        return 0;
    }
}

void gdb_out_begin(struct gdb_link *link)
{
    link->out_length = 0;
    link->out_cut = false;
}

void gdb_out_char(struct gdb_link *link, char character)
{
    if (link->out_length < GDB_PACKET_MAX)
        link->out[link->out_length++] = character;
    else
        link->out_cut = true;
}

void gdb_out_text(struct gdb_link *link, const char *text)
{
    while (*text)
        gdb_out_char(link, *text++);
}

void gdb_out_number(struct gdb_link *link, uint64_t number)
{
    int shift = 60;

    while (shift > 0 && !(number >> shift))
        shift -= 4;
    for (; shift >= 0; shift -= 4)
        gdb_out_char(link, hex_digit((unsigned)(number >> shift)));
}

void gdb_out_bytes(struct gdb_link *link, const uint8_t *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        gdb_out_char(link, hex_digit(bytes[i] >> 4));
        gdb_out_char(link, hex_digit(bytes[i]));
    }
}

bool gdb_out_binary(struct gdb_link *link, uint8_t byte)
{
    bool escaped = byte == '#' || byte == '$' || byte == '*' || byte == ESCAPE;

    if (link->out_length + 1 + escaped > GDB_PACKET_MAX)
        return false;
    if (escaped)
        gdb_out_char(link, ESCAPE);
    gdb_out_char(link, (char)(byte ^ (escaped ? ESCAPE_XOR : 0)));
    return true;
}

void gdb_link_send_once(struct gdb_link *link)
{
    char end[3] = {'#'};
    uint8_t sum = 0;

    assert(!link->out_cut); /* a reply too long for `out` became an error in gdb_server */
    for (size_t i = 0; i < link->out_length; i++)
        sum = (uint8_t)(sum + (uint8_t)link->out[i]);
    end[1] = hex_digit(sum >> 4);
    end[2] = hex_digit(sum);
    link->line->put("$", 1);
    link->line->put(link->out, link->out_length);
    link->line->put(end, sizeof(end));
}

/* If a packet comes instead of the `+`, gdb has lost ours, and continues or asks again. */
int gdb_link_send(struct gdb_link *link)
{
    int byte;

    gdb_link_send_once(link);
    while (!link->no_ack && (byte = link->line->get()) != '+') {
        if (byte < 0)
            return -EPIPE;
        if (byte == '$') {
            link->begun = true;
            return 0;
        }
        if (byte == '-') {
            link->counts.resent++;
            gdb_link_send_once(link);
        } else if (byte == GDB_BREAK) {
            link->interrupted = true;
        } else {
            link->counts.noise++;
        }
    }
    return 0;
}

void gdb_link_make_text(struct gdb_link *link, const char *text, size_t length)
{
    char *at = link->text;
    uint8_t sum = 'O';

    assert(length <= GDB_TEXT_MAX);
    link->text_length = link->text_sent = 0;
    /* an NMI that halts this CPU meanwhile leaves no packet or a whole one */
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    *at++ = '$';
    *at++ = 'O';
    for (size_t i = 0; i < length; i++) {
        *at++ = hex_digit((uint8_t)text[i] >> 4);
        *at++ = hex_digit((uint8_t)text[i]);
        sum = (uint8_t)(sum + at[-2] + at[-1]);
    }
    *at++ = '#';
    *at++ = hex_digit(sum >> 4);
    *at++ = hex_digit(sum);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    link->text_length = (size_t)(at - link->text);
}

bool gdb_link_send_piece(struct gdb_link *link)
{
    const char *from = link->text + link->text_sent;
    size_t left = link->text_length - link->text_sent;

    assert(link->text_sent <= link->text_length);
    if (left > GDB_PIECE)
        left = GDB_PIECE;
    link->line->put(from, left);
    link->text_sent += left;
    return link->text_sent < link->text_length;
}
