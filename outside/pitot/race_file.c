/* SPDX-License-Identifier: BSD-2-Clause */
/* See race.h. */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "outside/pitot/array.h"
#include "outside/pitot/files.h"
#include "outside/pitot/race.h"

#define HEAD       "pitot race 1"
#define RUN_WORDS  6
#define RACE_WORDS 17
#define SIDE_WORDS 6
#define UNKNOWN    "?" /* a value that is not known */

static struct output output;
static FILE *file;
static struct race_run *runs;
static size_t run_count, run_room;

/* --- Writing --- */

int race_file_create(const char *path, struct refusal *why)
{
    int descriptor = output_open(&output, path, why);

    if (descriptor < 0)
        return descriptor;
    file = fdopen(descriptor, "w");
    return file ? 0 : refuse(why, errno, "%s: %s", path, strerror(errno));
}

static void write_side(const struct race_side *side)
{
    fprintf(file, "\t%u\t%s\t%u\t%u\t", side->cpu, side->thread, side->access, side->length);
    if (side->valued)
        fprintf(file, "0x%" PRIx64, side->value);
    else
        fputs(UNKNOWN, file);
    fprintf(file, "\t%s", side->chain);
}

int race_file_close(bool whole, struct refusal *why)
{
    int error = 0;

    fputs(HEAD "\n", file);
    for (size_t i = 0; i < run_count; i++)
        fprintf(file, "run\t%s\t%s\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\n", runs[i].kernel,
                runs[i].build, runs[i].seed, runs[i].stops, runs[i].places);
    for (size_t i = 0; i < race_rows_count(); i++) {
        const struct race_row *row = race_rows_at(i);

        fprintf(file, "race\t%u\t%" PRIu64 "\t%s\t%s", row->kind, row->count, row->where,
                row->then);
        write_side(&row->sides[0]);
        write_side(&row->sides[1]);
        fputc('\n', file);
    }
    if (ferror(file) | (fclose(file) != 0))
        error = refuse(why, errno, "%s: %s", output.path, strerror(errno));
    if (!error && whole)
        error = output_keep(&output, why);
    output_drop(&output);
    return error;
}

/* --- Runs --- */

int race_file_add_run(const struct race_run *run, struct refusal *why)
{
    int error = array_grow(&runs, &run_room, run_count + 1, sizeof(*runs), "runs", why);

    if (error)
        return error;
    if (run_count > 0 && strcmp(run->build, runs[0].build) != 0)
        return refuse(why, EINVAL, "%s of one run is another build than %s of the first",
                      run->kernel, runs[0].kernel);
    runs[run_count++] = *run;
    return 0;
}

struct race_runs race_file_runs(void)
{
    struct race_runs all = {.count = (unsigned)run_count};

    for (size_t i = 0; i < run_count; i++) {
        all.stops += runs[i].stops;
        all.places = runs[i].places > all.places ? runs[i].places : all.places;
    }
    return all;
}

/* --- Builds --- */

/* FNV-1a. What comes from a pipe is gone. */
static int name_of_file(const char *path, char name[RACE_BUILD_ROOM], struct refusal *why)
{
    uint64_t sum = 0xcbf29ce484222325u;
    struct stat status;
    int byte, error = 0;
    FILE *from;

    *name = '\0';
    if (stat(path, &status) == 0 && !S_ISREG(status.st_mode))
        return 0;
    from = fopen(path, "r");
    while (from && (byte = getc(from)) != EOF)
        sum = (sum ^ (uint8_t)byte) * 0x100000001b3u;
    if (!from || ferror(from))
        error = refuse(why, errno, "%s: %s", path, strerror(errno));
    if (from)
        fclose(from);
    snprintf(name, RACE_BUILD_ROOM, "file-%016" PRIx64, sum);
    return error;
}

int race_file_build(const struct kernel *kernel, char name[RACE_BUILD_ROOM], struct refusal *why)
{
    for (unsigned i = 0; i < kernel->build_id_size; i++)
        snprintf(name + (size_t)2 * i, 3, "%02x", kernel->build_id[i]);
    return kernel->build_id_size > 0 ? 0 : name_of_file(kernel->path, name, why);
}

/* --- Reading --- */

static bool read_number(const char *word, uint64_t most, uint64_t *number)
{
    char *end;

    errno = 0;
    *number = strtoull(word, &end, 0);
    return end != word && *end == '\0' && errno == 0 && *number <= most;
}

static bool read_u32(const char *word, uint32_t most, uint32_t *number)
{
    uint64_t read = 0;
    bool good = read_number(word, most, &read);

    *number = (uint32_t)read;
    return good;
}

static bool read_side(char *const words[SIDE_WORDS], struct race_side *side)
{
    side->thread = words[1];
    side->chain = words[5];
    side->valued = strcmp(words[4], UNKNOWN) != 0;
    return read_u32(words[0], UINT32_MAX, &side->cpu) &&
           read_u32(words[2], WIRE_WRITE, &side->access) &&
           read_u32(words[3], UINT32_MAX, &side->length) &&
           (!side->valued || read_number(words[4], UINT64_MAX, &side->value));
}

/* Splits the line at its tabs. Returns the number of words, the last of which has the rest. */
static size_t split(char *line, char *words[RACE_WORDS])
{
    size_t count = 0;

    line[strcspn(line, "\n")] = '\0';
    for (char *at = line; at && count < RACE_WORDS; at = strchr(at, '\t')) {
        if (count > 0)
            *at++ = '\0';
        words[count++] = at;
    }
    return count;
}

/* Keeps the line. Returns -EPROTO if it is none of this file's. */
static int take_line(const char *line, struct refusal *why)
{
    char *copy = strdup(line), *words[RACE_WORDS];
    size_t count = copy ? split(copy, words) : 0;
    struct race_run run;
    struct race_row row;

    if (!copy)
        return refuse(why, ENOMEM, "out of memory");
    if (count == RUN_WORDS && strcmp(words[0], "run") == 0) {
        run = (struct race_run){.kernel = words[1], .build = words[2]};
        return read_number(words[3], UINT64_MAX, &run.seed) &&
                       read_number(words[4], UINT64_MAX, &run.stops) &&
                       read_number(words[5], UINT64_MAX, &run.places)
                   ? race_file_add_run(&run, why)
                   : -EPROTO;
    }
    if (count != RACE_WORDS || strcmp(words[0], "race") != 0)
        return -EPROTO;
    row = (struct race_row){.where = words[3], .then = words[4]};
    return read_u32(words[1], WIRE_RACE_KINDS - 1, &row.kind) &&
                   read_number(words[2], UINT64_MAX, &row.count) &&
                   read_side(words + 5, &row.sides[0]) &&
                   read_side(words + 5 + SIDE_WORDS, &row.sides[1])
               ? race_rows_merge(&row, why)
               : -EPROTO;
}

static int read_lines(FILE *from, const char *path, struct refusal *why)
{
    unsigned number = 0;
    char *line = NULL;
    size_t size = 0;
    int error = 0;

    while (!error && getline(&line, &size, from) >= 0)
        if (++number > 1)
            error = take_line(line, why);
        else if (strcmp(line, HEAD "\n") != 0)
            error = refuse(why, EINVAL, "%s was not written by pitot race", path);
    if (error == -EPROTO)
        refuse(why, EINVAL, "%s:%u: unexpected line; record it again", path, number);
    else if (!error && ferror(from))
        error = refuse(why, errno, "%s: %s", path, strerror(errno));
    else if (!error && number == 0)
        error = refuse(why, EINVAL, "%s was not written by pitot race", path);
    free(line);
    return error;
}

int race_file_read(const char *path, struct refusal *why)
{
    int descriptor = input_open_file(path, "-i FILE names what pitot race wrote", why), error;
    FILE *from = descriptor < 0 ? NULL : fdopen(descriptor, "r");

    if (descriptor < 0)
        return descriptor;
    if (!from)
        return refuse(why, errno, "%s: %s", path, strerror(errno));
    error = read_lines(from, path, why);
    fclose(from);
    return error;
}
