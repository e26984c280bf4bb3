/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * See line.h. Assumes only that the terminal moves back on \b and overwrites when printing; it
 * assumes no width. Newlines are a bare \n, which the sink converts.
 */
#include "kernel/console/line.h"

#include "core/lib/string.h"

static void show(struct line *line, const char *bytes, size_t length)
{
    if (length > 0)
        line->sink->write(line->sink, bytes, length);
}

static void ring(struct line *line)
{
    show(line, "\a", 1);
}

static void step_back(struct line *line, size_t count)
{
    for (; count > 8; count -= 8)
        show(line, "\b\b\b\b\b\b\b\b", 8);
    show(line, "\b\b\b\b\b\b\b\b", count);
}

/* --- The text, on the screen and in memory --- */

static void move_to(struct line *line, size_t position)
{
    if (position < line->cursor)
        step_back(line, line->cursor - position);
    else
        show(line, line->text + line->cursor, position - line->cursor);
    line->cursor = position;
}

static void insert(struct line *line, const char *bytes, size_t length)
{
    char *at = line->text + line->cursor;
    size_t behind = line->length - line->cursor;

    memmove(at + length, at, behind);
    memcpy(at, bytes, length);
    line->length += length;
    line->cursor += length;
    show(line, at, length + behind);
    step_back(line, behind);
}

/* Removes [from, to) and leaves the cursor at `from`. */
static void cut(struct line *line, size_t from, size_t to)
{
    size_t behind = line->length - to;

    move_to(line, from);
    memmove(line->text + from, line->text + to, behind);
    line->length -= to - from;
    show(line, line->text + from, behind);
    print_to(line->sink, "%*s", (int)(to - from), "");
    step_back(line, behind + to - from);
}

void line_show(struct line *line)
{
    size_t cursor = line->cursor;

    print_to(line->sink, "%s", line->prompt);
    line->cursor = 0;
    move_to(line, line->length);
    move_to(line, cursor);
}

/* --- History --- */

/* Returns the line `back` lines before the current one, 1 for the newest; NULL if there is none. */
static const char *history_line(const struct history *history, size_t back)
{
    if (back > history->count || back > HISTORY_LINES)
        return NULL;
    return history->line[(history->count - back) % HISTORY_LINES];
}

/* Adds a line, unless it is empty or equals the newest line. */
static void history_keep(struct history *history, const char *text)
{
    const char *last = history_line(history, 1);

    if (*text != '\0' && (!last || strcmp(last, text) != 0))
        memcpy(history->line[history->count++ % HISTORY_LINES], text, strlen(text) + 1);
}

/*
 * Searches for a line that contains `part`, from line `back` to older ones. Returns its number as
 * in history_line, or 0.
 */
static size_t history_find(const struct history *history, const char *part, size_t back)
{
    const char *text;

    for (; (text = history_line(history, back)) != NULL; back++)
        if (strstr(text, part))
            return back;
    return 0;
}

/* Shows the line `back` lines before the current one; saves the current one first. */
static void show_before(struct line *line, size_t back)
{
    const char *text = back == 0 ? line->set_aside : history_line(&line->history, back);

    if (!text) {
        ring(line);
        return;
    }
    if (line->browsed == 0) {
        memcpy(line->set_aside, line->text, line->length);
        line->set_aside[line->length] = '\0';
    }
    line->browsed = back;
    cut(line, 0, line->length);
    insert(line, text, strlen(text));
}

/*
 * Shows the newest line, `back` or more lines ago, that contains `sought`, with the cursor at the
 * match. Rings the bell and returns false if there is none.
 */
static bool show_found(struct line *line, size_t back)
{
    size_t found = history_find(&line->history, line->sought, back);

    if (found == 0) {
        ring(line);
        return false;
    }
    show_before(line, found);
    line->text[line->length] = '\0';
    move_to(line, (size_t)(strstr(line->text, line->sought) - line->text));
    return true;
}

/* --- Keys --- */

static void press_start(struct line *line)
{
    move_to(line, 0);
}

static void press_end(struct line *line)
{
    move_to(line, line->length);
}

static void press_left(struct line *line)
{
    if (line->cursor > 0)
        move_to(line, line->cursor - 1);
}

static void press_right(struct line *line)
{
    if (line->cursor < line->length)
        move_to(line, line->cursor + 1);
}

static void press_backspace(struct line *line)
{
    if (line->cursor > 0)
        cut(line, line->cursor - 1, line->cursor);
}

static void press_delete(struct line *line)
{
    if (line->cursor < line->length)
        cut(line, line->cursor, line->cursor + 1);
}

static void press_cut_word(struct line *line)
{
    size_t from = line->cursor;

    while (from > 0 && line->text[from - 1] == ' ')
        from--;
    while (from > 0 && line->text[from - 1] != ' ')
        from--;
    cut(line, from, line->cursor);
}

static void press_cut_to_end(struct line *line)
{
    cut(line, line->cursor, line->length);
}

/* Emptying a line also clears the error of a byte that is not allowed. */
static void press_cut_to_start(struct line *line)
{
    cut(line, 0, line->cursor);
    if (line->length == 0)
        line->foreign = 0;
}

static void press_clear_screen(struct line *line)
{
    print_to(line->sink, "\033[H\033[2J");
    line_show(line);
}

static void press_older(struct line *line)
{
    show_before(line, line->browsed + 1);
}

static void press_newer(struct line *line)
{
    if (line->browsed > 0)
        show_before(line, line->browsed - 1);
    else
        ring(line);
}

static void press_search(struct line *line)
{
    line->searching = true;
    line->sought[0] = '\0';
}

/* Adds a letter to `sought`; the line that is shown may still match. */
static void seek_more(struct line *line, char letter)
{
    size_t length = strlen(line->sought);

    if (length == LINE_SOUGHT_MAX)
        return;
    line->sought[length] = letter;
    line->sought[length + 1] = '\0';
    if (!show_found(line, line->browsed > 0 ? line->browsed : 1))
        line->sought[length] = '\0';
}

/* Removes a letter from `sought`, and searches from the newest line again. */
static void seek_less(struct line *line)
{
    size_t length = strlen(line->sought);

    if (length > 0)
        line->sought[length - 1] = '\0';
    if (length > 1)
        show_found(line, 1);
    else
        show_before(line, 0);
}

/*
 * Handles a key during a ^R search. Returns false if the key ends the search and has its usual
 * effect.
 */
static bool seek(struct line *line, int key)
{
    if (key >= ' ' && key < KEY_DELETE)
        seek_more(line, (char)key);
    else if (key == KEY_DELETE || key == KEY_CONTROL('H'))
        seek_less(line);
    else if (key == KEY_CONTROL('R') && line->sought[0] != '\0')
        show_found(line, line->browsed + 1);
    else
        line->searching = key == KEY_CONTROL('R');
    if (key == KEY_CONTROL('G'))
        show_before(line, 0);
    return line->searching || key == KEY_CONTROL('G');
}

static void press_tab(struct line *line)
{
    char addition[256] = "";
    bool listing = line->after_tab;

    line->after_tab = false;
    if (!line->completer) {
        ring(line);
        return;
    }
    size_t candidates =
        line->completer->extend(line->text, line->cursor, addition, sizeof(addition));
    size_t length = strlen(addition);
    if (length > 0 && line->length + length <= LINE_LENGTH_MAX) {
        insert(line, addition, length);
        return;
    }
    line->after_tab = candidates > 1;
    if (!listing || candidates < 2) {
        ring(line);
        return;
    }
    print_to(line->sink, "\n");
    line->completer->list(line->sink);
    line_show(line);
}

typedef void line_key(struct line *line);

static line_key *const control_keys[' '] = {
    [KEY_CONTROL('A')] = press_start,        [KEY_CONTROL('B')] = press_left,
    [KEY_CONTROL('D')] = press_delete,       [KEY_CONTROL('E')] = press_end,
    [KEY_CONTROL('F')] = press_right,        [KEY_CONTROL('H')] = press_backspace,
    [KEY_CONTROL('I')] = press_tab,          [KEY_CONTROL('K')] = press_cut_to_end,
    [KEY_CONTROL('L')] = press_clear_screen, [KEY_CONTROL('N')] = press_newer,
    [KEY_CONTROL('P')] = press_older,        [KEY_CONTROL('R')] = press_search,
    [KEY_CONTROL('U')] = press_cut_to_start, [KEY_CONTROL('W')] = press_cut_word,
};

static void take_character(struct line *line, char character)
{
    if (line->length < LINE_LENGTH_MAX) {
        insert(line, &character, 1);
        return;
    }
    line->overlong = line->length + 1;
    ring(line);
}

static void take_foreign(struct line *line, uint8_t byte)
{
    if (line->foreign++ == 0)
        line->first_foreign = byte;
    ring(line);
}

static void take_key(struct line *line, int key)
{
    if (key != KEY_CONTROL('I'))
        line->after_tab = false;
    if (line->searching && seek(line, key))
        return;
    if (key == KEY_UNKNOWN)
        ring(line);
    else if (key == KEY_DELETE)
        press_backspace(line);
    else if (key >= ' ' && key < KEY_DELETE)
        take_character(line, (char)key);
    else if (key < ' ' && control_keys[key])
        control_keys[key](line);
    else
        take_foreign(line, (uint8_t)key);
}

/* --- The line as a whole --- */

static enum line_state end_line(struct line *line)
{
    press_end(line);
    print_to(line->sink, "\n");
    if (line->overlong > 0) {
        print_to(line->sink, "the line has %zu characters, %d are allowed: nothing was run\n",
                 line->overlong, LINE_LENGTH_MAX);
        return LINE_REFUSED;
    }
    if (line->foreign > 0) {
        print_to(line->sink,
                 "the line has bytes that are neither printable ASCII nor a key (%zu, first "
                 "0x%02x): nothing was run\n",
                 line->foreign, line->first_foreign);
        return LINE_REFUSED;
    }
    line->text[line->length] = '\0';
    history_keep(&line->history, line->text);
    return LINE_DONE;
}

void line_init(struct line *line, struct sink *sink, const char *prompt,
               const struct line_completer *completer)
{
    memset(line, 0, sizeof(*line));
    line->sink = sink;
    line->prompt = prompt;
    line->completer = completer;
}

void line_begin(struct line *line)
{
    line->length = line->cursor = 0;
    line->overlong = line->foreign = 0;
    line->browsed = 0;
    line->searching = false;
    line->keys.state = KEYS_PLAIN;
    line->after_tab = false;
    line_show(line);
}

/* Once the line is too long, only the end of the line is recognised. */
static int next_key(struct line *line, uint8_t byte)
{
    if (line->overlong > 0)
        return byte;
    int key = keys_take(&line->keys, byte);
    if (key != KEY_BROKEN)
        return key;
    if (line->searching)
        line->searching = false;
    else
        take_foreign(line, KEY_ESCAPE);
    return keys_take(&line->keys, byte);
}

/* In a shell this ends the session. The key Delete, which is the same otherwise, does not. */
static void explain_end(struct line *line)
{
    print_to(line->sink, "\n^D ends nothing here; `poweroff` turns the machine off\n");
    line_show(line);
}

enum line_state line_put(struct line *line, uint8_t byte)
{
    bool second_half = line->after_return && byte == '\n';

    line->after_return = byte == '\r';
    if (second_half)
        return LINE_OPEN;

    int key = next_key(line, byte);
    if (key == '\r' || key == '\n')
        return end_line(line);
    if (key == KEY_CONTROL('C')) {
        press_end(line);
        print_to(line->sink, "^C\n");
        return LINE_CANCELLED;
    }
    if (line->overlong > 0)
        line->overlong++;
    else if (key == byte && key == KEY_CONTROL('D') && line->length == 0 && !line->searching)
        explain_end(line);
    else if (key != KEY_NONE)
        take_key(line, key);
    return LINE_OPEN;
}
