/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The line editor: takes bytes and writes to a sink what the terminal should show. docs/machines.md
 * lists the keys. It depends on no device or command. Any context in which the sink is usable; the
 * state belongs to one caller.
 *
 * A line with a byte that is neither printable ASCII nor a key, or longer than LINE_LENGTH_MAX, is
 * read to its end and refused as a whole: half of it might be another command.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/lib/print.h"

/*
 * --- Keys: a character, a control key, or an escape sequence, returned as the equivalent control
 * key (Up is ^P, Delete is ^D). Pure: keys.c. ---
 */

#define KEY_CONTROL(letter) ((letter) - '@')
#define KEY_ESCAPE          KEY_CONTROL('[')
#define KEY_DELETE          0x7f /* what most terminals send for Backspace */

/* In addition to bytes, keys_take returns: */
#define KEY_NONE    (-1) /* the sequence is incomplete */
#define KEY_UNKNOWN (-2) /* a complete sequence, of a key that is not supported */
#define KEY_BROKEN  (-3) /* an ESC that begins no sequence; the byte was not taken: pass it again */

/* Position in a sequence (ECMA-48, "Control sequences"). */
enum keys_state { KEYS_PLAIN, KEYS_ESCAPE, KEYS_CONTROL_SEQUENCE, KEYS_SINGLE_SHIFT };

struct keys {
    enum keys_state state; /* initially 0 */
    unsigned parameter;
    unsigned length;
};

int keys_take(struct keys *keys, uint8_t byte);

/* --- The editor. --- */

#define LINE_LENGTH_MAX 1024
#define LINE_SOUGHT_MAX 63 /* characters in a ^R search */
#define HISTORY_LINES   32 /* the newest are kept */

struct history {
    char line[HISTORY_LINES][LINE_LENGTH_MAX + 1];
    size_t count; /* number of lines ever added */
};

/* TAB completion. `text` is the line up to the cursor, not terminated. */
struct line_completer {
    /* Returns 0, 1, or 2 for several; stores in `addition` what all of them add to `text`. */
    unsigned long (*extend)(const char *text, unsigned long length, char *addition,
                            unsigned long size);
    /* Prints the candidates of the last `extend`, in whole lines. */
    void (*list)(struct sink *sink);
};

/* What pitot_complete offers (complete.c). The console's thread only. */
extern const struct line_completer complete_words;

enum line_state {
    LINE_OPEN,      /* being typed */
    LINE_DONE,      /* complete: line->text, perhaps empty */
    LINE_CANCELLED, /* ^C */
    LINE_REFUSED,   /* complete, but an error was printed */
};

struct line {
    struct sink *sink;
    const char *prompt;
    const struct line_completer *completer; /* NULL: TAB rings the bell */

    char text[LINE_LENGTH_MAX + 1]; /* terminated when LINE_DONE is returned */
    size_t length, cursor;
    size_t overlong; /* number of characters typed, if too many; otherwise 0 */
    size_t foreign;  /* number of bytes not allowed in a line */
    uint8_t first_foreign;

    struct keys keys;
    bool after_return; /* the last byte was CR: an LF after it is ignored */
    bool after_tab;    /* the last key was a TAB that added nothing: the next TAB lists */

    struct history history;
    size_t browsed; /* 0: the current line; n: the n-th newest in `history` */
    bool searching; /* during a ^R search: keys extend `sought` */
    char sought[LINE_SOUGHT_MAX + 1];
    char set_aside[LINE_LENGTH_MAX + 1]; /* the current line, while another is shown */
};

void line_init(struct line *line, struct sink *sink, const char *prompt,
               const struct line_completer *completer);

/*
 * Prints the prompt and begins an empty line. Called first, and after each result except LINE_OPEN.
 */
void line_begin(struct line *line);

/* Shows the prompt and what has been typed again, after other output. */
void line_show(struct line *line);

enum line_state line_put(struct line *line, uint8_t byte);
