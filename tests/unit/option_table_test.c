/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The rows of perf's options: each is valid by itself and beside the others, and the tables in docs
 * have the same ones. A table is recognised by its first cell, such as "option of record, stat", in
 * any page.
 *
 * links: tests/unit/fake_options.c tests/unit/fake_events.c tests/unit/fake_task.c tests/unit/fake_cpu.c tests/unit/fake_preempt.c tests/unit/no_symbols.c
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <glob.h>

#include <cmocka.h>

#include "core/perf/option_table.h"

#define LINE_MOST 2000

static void assert_in_order(const char *const *words)
{
    for (; words[0] && words[1]; words++)
        assert_true(strcmp(words[0], words[1]) < 0);
}

/* No other row of the command has either name. */
static void assert_only(const struct options *part, const struct option *row)
{
    for (unsigned i = 0; i < 2 && row->names[i]; i++) {
        assert_int_equal(row->names[i][0], '-');
        assert_ptr_equal(option_find(part, row->names[i], strlen(row->names[i])), row);
    }
}

static void assert_sound(const struct options *part, const struct option *row)
{
    bool choices = row->kind == OPTION_CHOICE || row->kind == OPTION_CHOICES;
    bool flag = row->kind == OPTION_ALWAYS || row->kind == OPTION_FLAG;

    assert_only(part, row);
    assert_true(row->help && strlen(row->help) > 4 && strlen(row->help) < 80);
    assert_int_equal(flag, row->value == NULL);
    assert_int_equal(choices, row->choices != NULL);
    if (choices)
        assert_in_order(row->choices);
    assert_true(row->kind == OPTION_ALWAYS || row->set || row->size);
    if (row->kind == OPTION_NUMBER)
        assert_true(row->most ? row->unit && row->least < row->most : row->least > 0);
    if (row->excludes) {
        assert_non_null(row->because);
        assert_non_null(option_find(part, row->excludes, strlen(row->excludes)));
        assert_string_not_equal(row->excludes, row->names[0]);
    }
}

static void each_row_makes_sense(void **state)
{
    (void)state;
    for (const struct options *const *part = perf_parts; *part; part++) {
        assert_true(!part[1] || strcmp((*part)->name, part[1]->name) < 0);
        assert_ptr_equal(perf_part_find((*part)->name, strlen((*part)->name)), *part);
        for (const struct option *row = (*part)->row; row->names[0]; row++)
            if (!(*part)->command || (row->commands & (*part)->command))
                assert_sound(*part, row);
    }
}

/* A refusal that lists the options is not cut off. */
static void the_list_of_options_fits(void **state)
{
    (void)state;
    for (const struct options *const *part = perf_parts; *part; part++) {
        char name[] = "perf", wrong[] = "--no-such-option-of-ordinary-length";
        char *words[] = {name, wrong};
        struct refusal why;
        const char *end, *last = (*part)->workload ? ", -- COMMAND" : NULL;

        assert_true(options_parse(*part, 2, words, NULL, &why) < 0);
        end = last ? strstr(why.text, last) : NULL;
        assert_true(!last || (end && strlen(end) == strlen(last)));
        assert_true(strlen(why.text) + 1 < sizeof(why.text));
    }
}

/* --- The pages --- */

struct table {
    const char *first_cell;
    const struct options *parts[2];
    bool seen[2][64]; /* of a part, by the index of the name */
    unsigned found;
};

static struct table tables[] = {
    {.first_cell = "| option of record, stat |"},
    {.first_cell = "| option of report |"},
    {.first_cell = "| option of script |"},
    {.first_cell = "| option of trace |"},
};
#define TABLES (sizeof(tables) / sizeof(tables[0]))

static const struct options *part_named(const char *name)
{
    return perf_part_find(name, strlen(name));
}

static bool is_word_of(const struct option *row, const char *value)
{
    size_t length = strcspn(value, ",");

    for (const char *const *word = row->choices; word && *word; word++)
        if (strlen(*word) == length && strncmp(*word, value, length) == 0)
            return true;
    return false;
}

/* The text between two backticks of a first cell: "-c N", "--count N". */
static void check_span(struct table *table, const char *page, const char *span)
{
    size_t length = strcspn(span, " ");
    const char *value = span[length] ? span + length + 1 : NULL;
    bool known = false;

    for (unsigned i = 0; i < 2 && table->parts[i]; i++) {
        const struct option *row = option_find(table->parts[i], span, length);
        const char *name = "";

        if (!row)
            continue;
        known = true;
        if (value && (!row->value || strcmp(value, row->value) != 0) && !is_word_of(row, value))
            fail_msg("%s: \"%s\": the table has %s %s", page, span, row->names[0],
                     row->value ? row->value : "alone");
        for (size_t at = 0; (name = option_after(table->parts[i], name)); at++)
            if (strlen(name) == length && strncmp(name, span, length) == 0)
                table->seen[i][at] = true;
    }
    if (!known && strncmp(span, "-- ", 3) != 0)
        fail_msg("%s: there is no option \"%s\"", page, span);
}

/* A line of the table; a | in a word is written \|. */
static void check_line(struct table *table, const char *page, const char *line)
{
    const char *at = line + 2;

    while (*at && strncmp(at, " | ", 3) != 0) {
        char span[100];
        size_t length = 0;

        if (*at++ != '`')
            continue;
        for (; *at && *at != '`'; at++)
            if (*at != '\\' && length + 1 < sizeof(span))
                span[length++] = *at;
        span[length] = '\0';
        at += *at == '`';
        check_span(table, page, span);
    }
}

static void read_page(const char *page)
{
    static char line[LINE_MOST];
    FILE *file = fopen(page, "r");
    struct table *table = NULL;

    assert_non_null(file);
    while (fgets(line, sizeof(line), file)) {
        if (line[0] != '|')
            table = NULL;
        else if (table && strncmp(line, "|--", 3) != 0)
            check_line(table, page, line);
        for (size_t i = 0; i < TABLES; i++)
            if (strncmp(line, tables[i].first_cell, strlen(tables[i].first_cell)) == 0)
                table = &tables[i], table->found++;
    }
    fclose(file);
}

static void the_pages_have_the_same_options(void **state)
{
    glob_t pages;

    (void)state;
    tables[0].parts[0] = part_named("record");
    tables[0].parts[1] = part_named("stat");
    tables[1].parts[0] = part_named("report");
    tables[2].parts[0] = part_named("script");
    tables[3].parts[0] = part_named("trace");
    assert_int_equal(glob("docs/*.md", 0, NULL, &pages), 0);
    for (size_t i = 0; i < pages.gl_pathc; i++)
        read_page(pages.gl_pathv[i]);
    globfree(&pages);
    for (size_t i = 0; i < TABLES; i++) {
        if (tables[i].found != 1)
            fail_msg("%u tables begin with \"%s\"", tables[i].found, tables[i].first_cell);
        for (unsigned part = 0; part < 2 && tables[i].parts[part]; part++) {
            const char *name = "";

            for (size_t at = 0; (name = option_after(tables[i].parts[part], name)); at++)
                if (!tables[i].seen[part][at] && strcmp(name, "--") != 0)
                    fail_msg("docs: \"%s\" has no %s of perf %s", tables[i].first_cell, name,
                             tables[i].parts[part]->name);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_row_makes_sense),
        cmocka_unit_test(the_list_of_options_fits),
        cmocka_unit_test(the_pages_have_the_same_options),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
