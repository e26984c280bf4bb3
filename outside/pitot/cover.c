/* SPDX-License-Identifier: BSD-2-Clause */
/* `pitot cover` of command.h. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "outside/pitot/command.h"
#include "outside/pitot/counts.h"
#include "outside/pitot/lcov.h"
#include "outside/pitot/source_file.h"

#define FILE_DEFAULT "lcov.info"

static uint64_t lost;

static int take(const struct wire_head *record, struct refusal *why)
{
    if (record->kind == WIRE_BLOCK)
        return counts_add((const void *)record, why);
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

static void write_out(FILE *out, struct source *source, const char *path)
{
    struct lcov_total total;

    counts_sort();
    total = lcov_write(out, source);
    source_file_tell();
    fprintf(stderr, "Summary coverage rate, in %s:\n", path);
    print_share("lines......", total.lines_hit, total.lines, "lines");
    print_share("functions..", total.functions_hit, total.functions, "functions");
}

int command_cover(const struct command *command, struct watch *watch, struct refusal *why)
{
    static struct source source;
    const char *path = command->options->output ? command->options->output : FILE_DEFAULT;
    int error = source_read(&source, watch->kernel, why);
    FILE *out = error ? NULL : fopen(path, "we");

    if (error)
        return error;
    if (!out)
        return refuse(why, errno, "%s: %s", path, strerror(errno));
    watch->wanted = ",cover=1";
    watch->take = take;
    error = watch_run(watch, why);
    if (!error)
        watch_tell_losses(watch);
    watch_tell(lost, "block", "without room: code there may have run");
    if (!error)
        watch_tell_unrun(watch);
    if (!error && watch->whole)
        write_out(out, &source, path);
    if ((fflush(out) != 0 || ferror(out)) && !error)
        error = refuse(why, errno, "%s: %s", path, strerror(errno));
    fclose(out);
    return error;
}
