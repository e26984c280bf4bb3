/* SPDX-License-Identifier: BSD-2-Clause */
/* See source_place.h. */
#include "core/event/source_place.h"

#include "core/event/own_kernel.h"
#include "core/host.h"
#include "core/lib/assert.h"
#include "core/lib/string.h"
#include "core/symbols/symbols.h"

/* Where a port has not built the tables yet. */
static int refuse_for_kernel(const char *what, const char *name, struct refusal *why)
{
    if (own_kernel || symbols_count() > 0)
        return 0;
    return refuse(why, ENOENT,
                  "no %s \"%s\", as the tables are missing: pitot-tables makes them; 0x... needs "
                  "none",
                  what, name);
}

int place_read_program(struct spelling *cursor, struct event_spec *spec)
{
    const char *end = strchr(cursor->at, ':');
    char path[EVENT_NAME_SIZE]; /* large enough for the whole spelling */

    if (*cursor->at != '/' || spelling_is_digit(cursor->at[1]))
        return 0; /* a digit after the slash: a length without an address */
    if (!end)
        return refuse(cursor->why, EINVAL,
                      "\"%s\": a program's file must be followed by a colon and a place in it",
                      cursor->at);
    memcpy(path, cursor->at, (size_t)(end - cursor->at));
    path[end - cursor->at] = '\0';
    if (!host.program_load)
        return refuse(cursor->why, EINVAL,
                      "%s: this kernel runs no programs (program_load of struct pitot_kernel is 0)",
                      path);
    cursor->program = host_program(path, cursor->why);
    if (!cursor->program)
        return -ENOENT;
    spec->target.program = cursor->program;
    cursor->at = end + 1;
    return 0;
}

/* Copies the part up to the next slash or colon. The spelling fits into the name of an event. */
static size_t copy_part(const struct spelling *cursor, char part[EVENT_NAME_SIZE])
{
    size_t length = 0;

    for (; cursor->at[length] && !strchr("/:", cursor->at[length]); length++) {
        assert(length + 1 < EVENT_NAME_SIZE);
        part[length] = cursor->at[length];
    }
    part[length] = '\0';
    return length;
}

int place_read_spelt(struct spelling *cursor, struct place *place)
{
    const struct pitot_program *program = cursor->program;
    const struct place_names names = {.table = program ? symbol_table_of(program->symbols) : NULL,
                                      .path = program ? program->path : NULL,
                                      .refuse = program ? NULL : refuse_for_kernel};
    char part[EVENT_NAME_SIZE];
    size_t length = copy_part(cursor, part);
    int error;

    if (spelling_word_length(cursor->at) == 0)
        return spelling_refuse_missing(cursor, "address");
    error = place_read(part, &names, place, cursor->why);
    cursor->at += error ? 0 : length;
    return error;
}

int place_read_spelt_length(struct spelling *cursor, uint64_t most, uint64_t *length)
{
    char part[EVENT_NAME_SIZE];
    size_t characters;
    int error;

    *length = 0;
    if (*cursor->at != '/')
        return 0;
    cursor->at++;
    characters = copy_part(cursor, part);
    if (characters == 0)
        return spelling_refuse_missing(cursor, "length");
    error = place_read_length(part, most, length, cursor->why);
    cursor->at += error ? 0 : characters;
    return error;
}
