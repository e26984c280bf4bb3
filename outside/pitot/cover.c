/* SPDX-License-Identifier: BSD-2-Clause */
/* `pitot cover` of command.h. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "outside/pitot/command.h"
#include "outside/pitot/counts.h"
#include "outside/pitot/lcov.h"
#include "outside/pitot/output.h"
#include "outside/pitot/plain.h"
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
    counts_sort();
    total = lcov_write(out, source);
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
