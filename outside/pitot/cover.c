/* SPDX-License-Identifier: BSD-2-Clause */
/* `pitot cover` of command.h: counts code, and writes an lcov tracefile (geninfo(1)). */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "outside/pitot/array.h"
#include "outside/pitot/command.h"
#include "outside/pitot/files.h"
#include "outside/pitot/plain.h"
#include "outside/pitot/progress.h"
#include "outside/pitot/source_lines.h"

#define FILE_DEFAULT "lcov.info"

static uint64_t lost;

/* --- How often each address has run --- */

/*
 * Summed over the blocks that include it, as QEMU may translate code several times with different
 * block boundaries. `count`: how often the code up to the next edge ran; before sort_edges, the
 * change at this edge.
 */
static struct edge {
    uint64_t address, count;
} * edges;
static size_t edge_count, edge_room;

static int add_block(const struct wire_block *block, struct refusal *why)
{
    int error;

    if (block->start >= block->end)
        return refuse(why, EINVAL, "the plugin's block from 0x%llx to 0x%llx is invalid",
                      (unsigned long long)block->start, (unsigned long long)block->end);
    error = array_grow(&edges, &edge_room, edge_count + 2, sizeof(*edges), "blocks", why);
    if (error)
        return error;
    edges[edge_count++] = (struct edge){block->start, block->count};
    edges[edge_count++] = (struct edge){block->end, -block->count};
    return 0;
}

static int compare_edges(const void *left, const void *right)
{
    const struct edge *a = left, *b = right;

    return a->address < b->address ? -1 : a->address > b->address;
}

static void sort_edges(void)
{
    size_t used = 0;
    uint64_t count = 0;

    if (edge_count == 0)
        return;
    qsort(edges, edge_count, sizeof(*edges), compare_edges);
    for (size_t i = 0; i < edge_count; i++) {
        count += edges[i].count;
        if (i + 1 == edge_count || edges[i + 1].address != edges[i].address)
            edges[used++] = (struct edge){edges[i].address, count};
    }
    edge_count = used;
}

/* How often the code of the range has run, where it ran most. */
static uint64_t most_of(uint64_t first, uint64_t end)
{
    size_t next = ARRAY_UNTIL(edges, edge_count, address, first);
    uint64_t most = next > 0 ? edges[next - 1].count : 0;

    for (; next < edge_count && edges[next].address < end; next++)
        if (edges[next].count > most)
            most = edges[next].count;
    return most;
}

/* --- The tracefile: how often the functions and lines with code ran --- */

struct lcov_total {
    uint64_t lines, lines_hit, functions, functions_hit;
};

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
        uint64_t count = most_of(here->first, here->end);

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

        sum += most_of(entry, entry + 1);
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

/*
 * Sorts `source`. A line's count is the highest count of its code in a compilation unit, summed
 * over all units: a line of a header has code in several.
 */
static struct lcov_total write_all(FILE *out, struct source *source)
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

/* --- The command --- */

static int take(const struct wire_head *record, struct refusal *why)
{
    if (record->kind == WIRE_BLOCK)
        return add_block((const void *)record, why);
    if (record->kind == WIRE_LOST)
        lost = ((const struct wire_number *)record)->number;
    return 0;
}

/* As lcov --summary prints it. */
static void print_share(const char *what, uint64_t hit, uint64_t of, const char *unit)
{
    fprintf(stderr, "  %s: %.1f%% (%llu of %llu %s)\n", what,
            of ? 100.0 * (double)hit / (double)of : 0.0, (unsigned long long)hit,
            (unsigned long long)of, unit);
}

/* Closes the descriptor. */
static int write_out(int descriptor, struct source *source, struct output *output,
                     struct refusal *why)
{
    FILE *out = fdopen(descriptor, "w");
    struct lcov_total total;
    bool written;
    int error;

    if (!out)
        return refuse(why, errno, "%s: %s", output->path, strerror(errno));
    sort_edges();
    total = write_all(out, source);
    written = fflush(out) == 0 && !ferror(out);
    if (fclose(out) != 0 || !written)
        return refuse(why, errno, "%s: %s", output->path, strerror(errno));
    error = output_keep(output, why);
    if (error)
        return error;
    source_file_tell();
    plain_tell("Summary coverage rate, in %s:", output->path);
    print_share("lines......", total.lines_hit, total.lines, "lines");
    print_share("functions..", total.functions_hit, total.functions, "functions");
    return 0;
}

int command_cover(const struct command *command, struct watch *watch, struct refusal *why)
{
    static struct source source;
    const char *path = command->options->output ? command->options->output : FILE_DEFAULT;
    struct output output;
    int error = source_read(&source, watch->kernel, why);
    int descriptor = error ? -1 : output_open(&output, path, why);

    if (error || descriptor < 0)
        return error ? error : descriptor;
    watch->request.cover = true;
    watch->take = take;
    error = watch_run(watch, why);
    if (!error)
        watch_tell_losses(watch);
    watch_tell(lost, "block", "without room: code there may have run");
    if (!error && watch_ran(watch))
        error = write_out(descriptor, &source, &output, why);
    else
        close(descriptor);
    output_drop(&output);
    return error;
}
