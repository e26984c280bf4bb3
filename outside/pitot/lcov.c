/* SPDX-License-Identifier: BSD-2-Clause */
/* See lcov.h. */
#include "outside/pitot/lcov.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "outside/pitot/counts.h"
#include "outside/pitot/progress.h"

static int compare_files(const char *a, const char *b)
{
    return a == b ? 0 : strcmp(a, b);
}

static int compare_lines(const void *left, const void *right)
{
    const struct source_line *a = left, *b = right;
    int files = compare_files(a->file, b->file);

    if (files || a->line != b->line)
        return files ? files : a->line < b->line ? -1 : 1;
    return a->unit < b->unit ? -1 : a->unit > b->unit;
}

static int compare_functions(const void *left, const void *right)
{
    const struct source_function *a = left, *b = right;
    int files = compare_files(a->file, b->file);

    if (files || a->line != b->line)
        return files ? files : a->line < b->line ? -1 : 1;
    return strcmp(a->name, b->name);
}

/* Returns how often the line at index *at ran, and advances *at past it. */
static uint64_t count_line(const struct source *source, size_t *at)
{
    const struct source_line *line = &source->lines[*at], *here = line;
    const struct source_line *end = source->lines + source->line_count;
    uint64_t sum = 0, most = 0;
    unsigned unit = line->unit;

    for (; here < end && here->file == line->file && here->line == line->line; here++) {
        uint64_t count = counts_most(here->first, here->end);

        if (here->unit != unit) {
            sum += most;
            most = 0;
            unit = here->unit;
        }
        most = count > most ? count : most;
    }
    *at = (size_t)(here - source->lines);
    return sum + most;
}

static uint64_t count_function(const struct source *source, size_t *at)
{
    const struct source_function *function = &source->functions[*at];
    uint64_t sum = 0;

    while (*at < source->function_count &&
           compare_functions(function, &source->functions[*at]) == 0) {
        uint64_t entry = source->functions[(*at)++].entry;

        sum += counts_most(entry, entry + 1);
    }
    return sum;
}

/* *at is the index of the file's first function; advances it to the next file's. */
static void write_functions(FILE *out, const char *file, const struct source *source, size_t *at,
                            struct lcov_total *total)
{
    uint64_t found = 0, hit = 0;

    while (*at < source->function_count && source->functions[*at].file == file) {
        const struct source_function *function = &source->functions[*at];
        uint64_t count = count_function(source, at);

        fprintf(out, "FN:%d,%s\nFNDA:%" PRIu64 ",%s\n", function->line, function->name, count,
                function->name);
        found++;
        hit += count > 0;
    }
    fprintf(out, "FNF:%" PRIu64 "\nFNH:%" PRIu64 "\n", found, hit);
    total->functions += found;
    total->functions_hit += hit;
}

static void write_lines(FILE *out, const char *file, const struct source *source, size_t *at,
                        struct lcov_total *total)
{
    uint64_t found = 0, hit = 0;

    while (*at < source->line_count && source->lines[*at].file == file) {
        int line = source->lines[*at].line;
        uint64_t count = count_line(source, at);

        fprintf(out, "DA:%d,%" PRIu64 "\n", line, count);
        found++;
        hit += count > 0;
    }
    fprintf(out, "LF:%" PRIu64 "\nLH:%" PRIu64 "\n", found, hit);
    total->lines += found;
    total->lines_hit += hit;
}

struct lcov_total lcov_write(FILE *out, struct source *source)
{
    struct lcov_total total = {.lines = 0};
    size_t line = 0, function = 0;

    qsort(source->lines, source->line_count, sizeof(*source->lines), compare_lines);
    if (source->function_count > 0)
        qsort(source->functions, source->function_count, sizeof(*source->functions),
              compare_functions);
    progress_begin("writes", source->line_count, NULL);
    while (line < source->line_count) {
        const char *file = source->lines[line].file;

        /* Skips functions in files without lines; code usually has lines. */
        while (function < source->function_count &&
               compare_files(source->functions[function].file, file) < 0)
            function++;
        fprintf(out, "TN:\nSF:%s\n", file);
        write_functions(out, file, source, &function, &total);
        write_lines(out, file, source, &line, &total);
        fprintf(out, "end_of_record\n");
        progress_at(line);
    }
    progress_end();
    return total;
}
