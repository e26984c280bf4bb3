/* SPDX-License-Identifier: BSD-2-Clause */
/* See source_place.h. */
#include "core/event/source_place.h"

#include "core/event/own_kernel.h"
#include "core/host.h"
#include "core/lib/string.h"
#include "core/lib/words.h"

#define NEAREST_MAX   5
#define ADDRESSES_MAX 4

/* `table`: the program's; NULL: the kernel's. */
static size_t find_nearest(const struct symbol_table *table, const char *name,
                           struct symbol *nearest)
{
    return table ? symbol_table_suggest(table, name, nearest, NEAREST_MAX)
                 : symbols_suggest(name, nearest, NEAREST_MAX);
}

/* `program`: NULL: the kernel. */
static int refuse_unknown(struct refusal *why, const char *name,
                          const struct pitot_program *program)
{
    struct symbol nearest[NEAREST_MAX];
    size_t count = find_nearest(program ? program->symbols : NULL, name, nearest);
    const char *in = program ? " in " : "", *path = program ? program->path : "";
    char text[SPELLING_LIST];
    struct words near = words_begin(text, sizeof(text));

    if (!program && !own_kernel && symbols_count() == 0)
        return refuse(why, ENOENT,
                      "no symbol \"%s\", as the tables are missing: pitot-tables makes them; 0x... "
                      "needs none",
                      name);
    if (count == 0)
        return refuse(why, ENOENT, "no symbol \"%s\"%s%s, and none with a similar spelling", name,
                      in, path);
    for (size_t i = 0; i < count; i++)
        words_add(&near, "%s", nearest[i].name);
    return refuse(why, ENOENT, "no symbol \"%s\"%s%s; near: %s", name, in, path, text);
}

static int refuse_ambiguous(struct refusal *why, const char *name, size_t count)
{
    char text[SPELLING_LIST];
    struct words addresses = words_begin(text, sizeof(text));
    struct symbol symbol;
    size_t listed = 0;

    for (size_t i = 0; listed < ADDRESSES_MAX && symbols_by_name(i, &symbol); i++) {
        if (strcmp(symbol.name, name) != 0)
            continue;
        words_add(&addresses, "0x%lx", (unsigned long)symbol.address);
        listed++;
    }
    return refuse(why, EINVAL, "%zu symbols are called \"%s\"; give the address: %s%s", count, name,
                  text, count > listed ? ", ..." : "");
}

static int find_name(const struct spelling *cursor, const char *name, struct symbol *symbol)
{
    const struct pitot_program *program = cursor->program;
    size_t count;
    int error = program ? symbol_table_find_name(program->symbols, name, symbol, &count)
                        : symbols_find_name(name, symbol, &count);

    if (error == -EEXIST && program)
        return refuse(cursor->why, EINVAL, "%zu symbols of %s are called \"%s\"; give the address",
                      count, program->path, name);
    if (error == -EEXIST)
        return refuse_ambiguous(cursor->why, name, count);
    return error ? refuse_unknown(cursor->why, name, program) : 0;
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

static int read_offset(struct spelling *cursor, struct place *place)
{
    uint64_t offset = 0;

    cursor->at++;
    int error = spelling_number(cursor, "offset", &offset);
    if (error)
        return error;
    if (offset >= place->symbol.size && place->symbol.size != 0)
        return refuse(cursor->why, EINVAL,
                      "+0x%lx lies beyond the end of %s, which is %zu bytes long",
                      (unsigned long)offset, place->symbol.name, place->symbol.size);
    if (offset > UINTPTR_MAX - place->address)
        return refuse(cursor->why, EINVAL, "%s+0x%lx lies beyond the end of memory",
                      place->symbol.name, (unsigned long)offset);
    place->address += offset;
    place->is_symbol = false;
    return 0;
}

int place_read(struct spelling *cursor, struct place *place)
{
    size_t length = spelling_word_length(cursor->at);
    char name[EVENT_NAME_SIZE]; /* as above */
    uint64_t number = 0;
    int error;

    *place = (struct place){.is_symbol = !spelling_is_digit(cursor->at[0])};
    if (!place->is_symbol) {
        error = spelling_number(cursor, "address", &number);
        place->address = number;
        return error;
    }
    if (length == 0)
        return spelling_refuse_missing(cursor, "address");
    memcpy(name, cursor->at, length);
    name[length] = '\0';
    error = find_name(cursor, name, &place->symbol);
    if (error)
        return error;
    place->address = place->symbol.address;
    cursor->at += length;
    return *cursor->at == '+' ? read_offset(cursor, place) : 0;
}
