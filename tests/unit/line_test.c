/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The line editor on a small terminal: after every byte the screen must show the prompt and the
 * text, with the cursor where the editor believes it to be.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernel/console/line.h"

#define PROMPT       "> "
#define ROW_SIZE     4096
#define CLEAR_SCREEN "\033[H\033[2J"

/* A terminal with a single row that is wide enough. */
static struct {
    struct sink sink;
    char row[ROW_SIZE];
    size_t column, used;     /* `used`: nothing was written from this column on */
    char last_row[ROW_SIZE]; /* the row that the last newline ended */
    unsigned rows, bells;
} screen;

static struct line line;

static void screen_empty_row(void)
{
    screen.column = screen.used = 0;
}

static void trim(char *text, size_t length)
{
    text[length] = '\0';
    while (length > 0 && text[length - 1] == ' ')
        text[--length] = '\0';
}

static void screen_put(char character)
{
    if (character == '\n') {
        memcpy(screen.last_row, screen.row, screen.used);
        trim(screen.last_row, screen.used);
        screen.rows++;
        screen_empty_row();
    } else if (character == '\b') {
        assert_true(screen.column > 0);
        screen.column--;
    } else if (character == '\a') {
        screen.bells++;
    } else {
        assert_true(character >= ' ' && character < 0x7f);
        assert_true(screen.column < ROW_SIZE - 1);
        screen.row[screen.column++] = character;
        if (screen.used < screen.column)
            screen.used = screen.column;
    }
}

static void screen_write(struct sink *sink, const char *bytes, size_t length)
{
    assert_ptr_equal(sink, &screen.sink);
    if (length == strlen(CLEAR_SCREEN) && memcmp(bytes, CLEAR_SCREEN, length) == 0) {
        screen_empty_row();
        return;
    }
    for (size_t i = 0; i < length; i++)
        screen_put(bytes[i]);
}

static void assert_screen_shows_the_line(void)
{
    static char shown[ROW_SIZE], expected[ROW_SIZE];

    memcpy(shown, screen.row, screen.used);
    trim(shown, screen.used);
    snprintf(expected, sizeof(expected), "%s%.*s", PROMPT, (int)line.length, line.text);
    trim(expected, strlen(expected));
    assert_string_equal(shown, expected);
    assert_int_equal(screen.column, strlen(PROMPT) + line.cursor);
}

/* What there is to complete: "perf" and "perish", from their first letter on. */
static unsigned long two_words_extend(const char *text, unsigned long length, char *addition,
                                      unsigned long size)
{
    assert_true(length <= LINE_LENGTH_MAX);
    addition[0] = '\0';
    if (length == 1 && text[0] == 'p')
        snprintf(addition, size, "er");
    else if (length == 4 && memcmp(text, "peri", 4) == 0)
        snprintf(addition, size, "sh ");
    else if (length != 3 || memcmp(text, "per", 3) != 0)
        return 0;
    return length == 4 ? 1 : 2;
}

static void two_words_list(struct sink *sink)
{
    print_to(sink, "perf  perish\n");
}

static const struct line_completer two_words = {two_words_extend, two_words_list};

static int begin(void **state)
{
    (void)state;
    memset(&screen, 0, sizeof(screen));
    screen.sink.write = screen_write;
    screen_empty_row();
    line_init(&line, &screen.sink, PROMPT, &two_words);
    line_begin(&line);
    return 0;
}

/* Types bytes that do not end the line. */
static void type(const char *bytes)
{
    for (; *bytes != '\0'; bytes++) {
        assert_int_equal(line_put(&line, (uint8_t)*bytes), LINE_OPEN);
        assert_screen_shows_the_line();
    }
}

static void assert_ends(uint8_t byte, enum line_state state)
{
    assert_int_equal(line_put(&line, byte), state);
    if (state != LINE_OPEN)
        assert_int_equal(screen.column, 0);
}

/* Types keys and Return, and checks the resulting line. */
static void assert_typed(const char *keys, const char *expected)
{
    type(keys);
    assert_ends('\r', LINE_DONE);
    assert_string_equal(line.text, expected);
    line_begin(&line);
}

static void assert_refused(const char *keys, const char *reason)
{
    unsigned rows;

    type(keys);
    rows = screen.rows;
    assert_ends('\r', LINE_REFUSED);
    assert_int_equal(screen.rows, rows + 2);
    assert_non_null(strstr(screen.last_row, reason));
    line_begin(&line);
}

static void return_newline_and_both_end_one_line(void **state)
{
    (void)state;
    type("one");
    assert_ends('\r', LINE_DONE);
    assert_string_equal(line.text, "one");
    line_begin(&line);
    assert_ends('\n', LINE_OPEN);
    type("two");
    assert_ends('\n', LINE_DONE);
    assert_string_equal(line.text, "two");
    line_begin(&line);
    assert_ends('\n', LINE_DONE);
    assert_string_equal(line.text, "");
    line_begin(&line);
    assert_ends('\r', LINE_DONE);
    line_begin(&line);
    assert_ends('\r', LINE_DONE);
}

static void keys_move_and_edit(void **state)
{
    (void)state;
    assert_typed("hepl\x7f\x08lp", "help");
    assert_typed("elp\001h", "help");
    assert_typed("elp\001h\005!", "help!");
    assert_typed("abcd\002\002X", "abXcd");
    assert_typed("abcd\001\006X", "aXbcd");
    assert_typed("abcd\001\004", "bcd");
    assert_typed("abcd\002\002\013", "ab");
    assert_typed("abcd\002\002\025", "cd");
    assert_typed("one two  \027", "one ");
    assert_typed("one two\027\027\027x", "x");
    assert_typed("ab\014c", "abc");
}

static void keys_at_the_edges_do_nothing(void **state)
{
    (void)state;
    assert_typed("\x7f\004\002\006\013\025\027\001\005", "");
    assert_typed("a\004\006", "a");
    assert_typed("a\001\x7f\002", "a");
}

/* The Delete key sends an escape sequence that acts like ^D, and prints nothing. */
static void the_end_of_a_session_is_explained(void **state)
{
    (void)state;
    type("\x04");
    assert_string_equal(screen.last_row, "^D ends nothing here; `poweroff` turns the machine off");
    assert_int_equal(screen.rows, 2);
    type("\x1b[3~ab\x01\x04");
    assert_int_equal(screen.rows, 2);
    assert_typed("", "b");
}

static void escape_sequences_are_keys(void **state)
{
    (void)state;
    assert_typed("bc\033[Ha\033[Fd", "abcd");
    assert_typed("bc\033OHa\033OFd", "abcd");
    assert_typed("bc\033[1~a\033[4~d", "abcd");
    assert_typed("bc\033[7~a\033[8~d", "abcd");
    assert_typed("ac\033[Db\033[Cd", "abcd");
    assert_typed("abXcd\033[D\033[D\033[D\033[3~", "abcd");
    assert_typed("\033[A", "abcd");
}

static void keys_that_mean_nothing_ring_and_leave_the_line(void **state)
{
    (void)state;
    assert_typed("he\033[15~l\033[1;2Pp\033OP", "help");
    assert_int_equal(screen.bells, 3);
}

static void foreign_bytes_refuse_the_whole_line(void **state)
{
    (void)state;
    assert_refused("he\xc3\xa9lp", "0xc3");
    assert_refused("help\021", "0x11");
    assert_refused("po\033xweroff", "0x1b");
    assert_refused("help\033", "0x1b");
    assert_refused("help\033[", "0x1b");
    assert_refused("help\033[00000000000000000000A", "0x1b");
    assert_typed("\xff\xfe\025help", "help");
    assert_typed("help", "help");
    assert_ends(0, LINE_OPEN);
    assert_ends('\r', LINE_REFUSED);
}

static void interrupt_cancels_the_line(void **state)
{
    (void)state;
    type("perf record\002\002");
    assert_ends(3, LINE_CANCELLED);
    assert_string_equal(screen.last_row, PROMPT "perf record^C");
    line_begin(&line);
    assert_typed("help", "help");
}

static void interrupt_cancels_a_sequence_and_an_overlong_line(void **state)
{
    (void)state;
    type("a\033[");
    assert_ends(3, LINE_CANCELLED);
    line_begin(&line);
    for (int i = 0; i < 2000; i++)
        assert_ends('x', LINE_OPEN);
    assert_ends(3, LINE_CANCELLED);
    line_begin(&line);
    assert_typed("help", "help");
}

static void the_longest_line_is_taken(void **state)
{
    static char longest[LINE_LENGTH_MAX + 1];

    (void)state;
    memset(longest, 'x', LINE_LENGTH_MAX);
    assert_typed(longest, longest);
}

static void one_character_more_is_too_long(void **state)
{
    (void)state;
    for (int i = 0; i < LINE_LENGTH_MAX + 1; i++)
        assert_ends('x', LINE_OPEN);
    assert_ends('\r', LINE_REFUSED);
    assert_non_null(strstr(screen.last_row, "1025"));
}

static void a_longer_line_is_refused_and_the_next_runs(void **state)
{
    (void)state;
    for (int i = 0; i < 100000; i++)
        assert_ends(i % 7 == 0 ? '\033' : 'x', LINE_OPEN);
    type("\001\013\025");
    assert_ends('\r', LINE_REFUSED);
    assert_non_null(strstr(screen.last_row, " 1024 "));
    line_begin(&line);
    for (int i = 0; i < 100000; i++)
        assert_ends('x', LINE_OPEN);
    assert_ends('\r', LINE_REFUSED);
    assert_non_null(strstr(screen.last_row, "100000"));
    line_begin(&line);
    assert_typed("\nhelp", "help");
}

static void history_goes_back_and_forth(void **state)
{
    (void)state;
    assert_typed("one", "one");
    assert_typed("two", "two");
    assert_typed("\020", "two");
    assert_typed("\020\020", "one");
    assert_typed("half\020\020\016\016 done", "half done");
    assert_typed("\020\020 more", "one more");
    assert_typed("\016", "");
}

static void history_keeps_no_empty_repeated_or_refused_lines(void **state)
{
    (void)state;
    assert_typed("one", "one");
    assert_typed("two", "two");
    assert_typed("two", "two");
    assert_typed("", "");
    assert_refused("bad\xff", "0xff");
    assert_typed("\020\020", "one");
}

static void history_keeps_the_last_thirty_two(void **state)
{
    char text[20];

    (void)state;
    for (int i = 0; i < 40; i++) {
        snprintf(text, sizeof(text), "line %d", i);
        assert_typed(text, text);
    }
    for (int i = 0; i < HISTORY_LINES; i++)
        type("\020");
    assert_int_equal(screen.bells, 0);
    type("\020");
    assert_int_equal(screen.bells, 1);
    assert_ends('\r', LINE_DONE);
    assert_string_equal(line.text, "line 8");
}

/* ^R, letters, ^R again; the cursor is at the match. */
static void a_line_is_found_by_what_is_in_it(void **state)
{
    (void)state;
    assert_typed("alpha one", "alpha one");
    assert_typed("beta two", "beta two");
    assert_typed("alpha two", "alpha two");
    type("typed\x12"
         "t");
    assert_string_equal(line.text, "alpha two");
    assert_int_equal(line.cursor, 6);
    type("\x12");
    assert_string_equal(line.text, "beta two");
    type("\x12"); /* no older one */
    assert_string_equal(line.text, "beta two");
    type("w\x7f");
    assert_string_equal(line.text, "alpha two");
    type("\x07"); /* ^G cancels */
    assert_int_equal(line.length, 5);
    assert_memory_equal(line.text, "typed", 5);
    type("\x12pha on");
    assert_string_equal(line.text, "alpha one");
    assert_int_equal(line.cursor, 2);
    type("x"); /* matches no line, so it is not accepted */
    assert_typed("e", "alpha one");
    assert_typed("\x12"
                 "beta\x01"
                 "two",
                 "twobeta two"); /* any other key ends the search */
    assert_typed("\x12zeta\x7f\x7f\x7f\x7f", "");
    assert_typed("\x12"
                 "beta\x1b[A",
                 "alpha one");
    assert_typed("\x12"
                 "beta\x1b"
                 "x",
                 "twoxbeta two"); /* ESC only ends the search */
    assert_typed("\x12"
                 "pha on\x1b",
                 "alpha one");
    type("\x12two");
    assert_ends('\x03', LINE_CANCELLED);
    line_begin(&line);
    assert_typed("two", "two");
}

static void tab_adds_what_is_common_and_then_lists(void **state)
{
    (void)state;
    type("p\t");
    assert_int_equal(line.length, 3);
    assert_int_equal(screen.bells, 0);
    type("\t");
    assert_int_equal(screen.bells, 1);
    assert_int_equal(screen.rows, 0);
    type("\t");
    assert_int_equal(screen.rows, 2);
    assert_string_equal(screen.last_row, "perf  perish");
    assert_typed("i\t", "perish ");
}

static void tab_completes_before_the_cursor(void **state)
{
    (void)state;
    assert_typed("p now\001\006\t", "per now");
}

static void tab_without_candidates_rings(void **state)
{
    (void)state;
    assert_typed("x\t\t", "x");
    assert_int_equal(screen.bells, 2);
    assert_int_equal(screen.rows, 1);
}

static void tab_never_makes_a_line_too_long(void **state)
{
    (void)state;
    for (int i = 0; i < LINE_LENGTH_MAX - 2; i++)
        type("x");
    type("\001p\t");
    assert_int_equal(line.length, LINE_LENGTH_MAX - 1);
    assert_ends('\r', LINE_DONE);
}

/* True if the byte ended a line: one without foreign characters, unless it was refused. */
static bool fuzz_put(uint8_t byte, bool *foreign)
{
    enum line_state state = line_put(&line, byte);

    if (byte >= 0x80)
        *foreign = true;
    if (byte == KEY_CONTROL('U'))
        *foreign = false;
    if (state == LINE_OPEN) {
        assert_screen_shows_the_line();
        return false;
    }
    if (state == LINE_DONE) {
        assert_false(*foreign);
        assert_int_equal(strlen(line.text), line.length);
    }
    *foreign = false;
    line_begin(&line);
    return true;
}

static void random_bytes_break_nothing_and_the_next_line_runs(void **state)
{
    bool foreign = false;
    unsigned lines = 0;

    (void)state;
    srand(1);
    for (int i = 0; i < 100000; i++)
        lines += fuzz_put((uint8_t)rand(), &foreign);
    assert_true(lines > 100);
    while (!fuzz_put('\r', &foreign))
        continue;
    assert_typed("help", "help");
}

static void random_keys_break_nothing_and_the_next_line_runs(void **state)
{
    static const char keys[] =
        "per i;'\001\002\004\005\006\007\010\t\013\014\016\020\022\025\027\x7f\033[AOBCD3~";
    bool foreign = false;

    (void)state;
    srand(2);
    for (int i = 0; i < 100000; i++) {
        uint8_t byte = (uint8_t)keys[(size_t)rand() % (sizeof(keys) - 1)];
        fuzz_put(rand() % 400 == 0 ? '\r' : byte, &foreign);
    }
    while (!fuzz_put('\r', &foreign))
        continue;
    assert_typed("help", "help");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(return_newline_and_both_end_one_line, begin),
        cmocka_unit_test_setup(keys_move_and_edit, begin),
        cmocka_unit_test_setup(keys_at_the_edges_do_nothing, begin),
        cmocka_unit_test_setup(the_end_of_a_session_is_explained, begin),
        cmocka_unit_test_setup(escape_sequences_are_keys, begin),
        cmocka_unit_test_setup(keys_that_mean_nothing_ring_and_leave_the_line, begin),
        cmocka_unit_test_setup(foreign_bytes_refuse_the_whole_line, begin),
        cmocka_unit_test_setup(interrupt_cancels_the_line, begin),
        cmocka_unit_test_setup(interrupt_cancels_a_sequence_and_an_overlong_line, begin),
        cmocka_unit_test_setup(the_longest_line_is_taken, begin),
        cmocka_unit_test_setup(one_character_more_is_too_long, begin),
        cmocka_unit_test_setup(a_longer_line_is_refused_and_the_next_runs, begin),
        cmocka_unit_test_setup(history_goes_back_and_forth, begin),
        cmocka_unit_test_setup(history_keeps_no_empty_repeated_or_refused_lines, begin),
        cmocka_unit_test_setup(history_keeps_the_last_thirty_two, begin),
        cmocka_unit_test_setup(a_line_is_found_by_what_is_in_it, begin),
        cmocka_unit_test_setup(tab_adds_what_is_common_and_then_lists, begin),
        cmocka_unit_test_setup(tab_completes_before_the_cursor, begin),
        cmocka_unit_test_setup(tab_without_candidates_rings, begin),
        cmocka_unit_test_setup(tab_never_makes_a_line_too_long, begin),
        cmocka_unit_test_setup(random_bytes_break_nothing_and_the_next_line_runs, begin),
        cmocka_unit_test_setup(random_keys_break_nothing_and_the_next_line_runs, begin),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
