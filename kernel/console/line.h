/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The line editor: bytes in, what the terminal shall show out into a sink. Knows no device and
 * no command, so that it runs under a fuzzer on the host as it does in the kernel. The keys are
 * listed in docs/machines.md. Any context that the sink is usable in; the state belongs to one
 * caller.
 *
 * Only printable ASCII gets into a line. A line with any other byte that is no key, or longer
 * than LINE_LENGTH_MAX, is taken to its end and refused there as a whole, with one line of
 * error: half a line might be some other command.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/lib/print.h"
#include "kernel/console/history.h"
#include "kernel/console/keys.h"

#define LINE_SOUGHT_MAX 63 /* letters that ^R looks for */

/*
 * What TAB does (kernel/console/complete.h). `text` is what stands before the cursor, not
 * terminated.
 */
struct line_completer {
    /*
     * Returns how many candidates there are; `addition` gets what all of them have in common after
     * `text`.
     */
    size_t (*extend)(const char *text, size_t length, char *addition, size_t size);
    /* Shows the candidates, in whole lines. */
    void (*list)(const char *text, size_t length, struct sink *sink);
};

enum line_state {
    LINE_OPEN,      /* being typed */
    LINE_DONE,      /* ended: line->text is it, perhaps empty */
    LINE_CANCELLED, /* ^C */
    LINE_REFUSED,   /* ended, and answered with an error */
};

struct line {
    struct sink *sink;
    const char *prompt;
    const struct line_completer *completer; /* NULL: TAB rings */

    char text[LINE_LENGTH_MAX + 1]; /* terminated when LINE_DONE is returned */
    size_t length, cursor;
    size_t overlong; /* characters that were typed, once there were too many; else 0 */
    size_t foreign;  /* bytes that cannot be in a line */
    uint8_t first_foreign;

    struct keys keys;
    bool after_return; /* the last byte was CR: an LF belongs to it */
    bool after_tab;    /* the last key was a TAB that could add nothing: the next lists */

    struct history history;
    size_t browsed; /* 0: the line itself; n: the n-th from the end of history */
    bool searching; /* since ^R: keys are letters of `sought` */
    char sought[LINE_SOUGHT_MAX + 1];
    char set_aside[LINE_LENGTH_MAX + 1]; /* the line itself, while browsed */
};

void line_init(struct line *line, struct sink *sink, const char *prompt,
               const struct line_completer *completer);

/*
 * Prints the prompt and begins an empty line: at first, and after every answer that is not
 * LINE_OPEN.
 */
void line_begin(struct line *line);

enum line_state line_put(struct line *line, uint8_t byte);
