/* SPDX-License-Identifier: BSD-2-Clause */
/* See source_place.h. */
#include "core/event/source_place.h"

#include "core/host.h"
#include "core/lib/print.h"
#include "core/lib/string.h"

#define NEAREST_MAX   5
#define ADDRESSES_MAX 4

static int refuse_unknown(struct refusal *why, const char *name)
{
    struct symbol nearest[NEAREST_MAX];
    size_t count = symbols_suggest(name, nearest, NEAREST_MAX);
    struct spelling_list near = {.length = 0};

    if (symbols_count() == 0)
        return refuse(why, ENOENT,
                      "no symbol \"%s\", as the tables are missing: pitot-tables makes them; 0x... "
                      "needs none",
                      name);
    if (count == 0)
        return refuse(why, ENOENT, "no symbol \"%s\", and none with a similar spelling", name);
    for (size_t i = 0; i < count; i++)
        spelling_list_add(&near, nearest[i].name);
    return refuse(why, ENOENT, "no symbol \"%s\"; near: %s", name, near.text);
}

static int refuse_ambiguous(struct refusal *why, const char *name, size_t count)
{
    struct spelling_list addresses = {.length = 0};
    struct symbol symbol;
    size_t listed = 0;

    for (size_t i = 0; listed < ADDRESSES_MAX && symbols_by_name(i, &symbol); i++) {
        char address[24];
        if (strcmp(symbol.name, name) != 0)
            continue;
        print_into(address, sizeof(address), "0x%lx", (unsigned long)symbol.address);
        spelling_list_add(&addresses, address);
        listed++;
    }
    return refuse(why, EINVAL, "%zu symbols are called \"%s\"; give the address: %s%s", count, name,
                  addresses.text, count > listed ? ", ..." : "");
}

static int find_name(const struct spelling *cursor, const char *name, struct symbol *symbol)
{
    const struct host_program *program = cursor->program;
    size_t count;
    int error = program ? symbol_table_find_name(program->symbols, name, symbol, &count)
                        : symbols_find_name(name, symbol, &count);

    if (error == -EEXIST && program)
        return refuse(cursor->why, EINVAL, "%zu symbols of %s are called \"%s\"; give the address",
                      count, program->path, name);
    if (error == -EEXIST)
        return refuse_ambiguous(cursor->why, name, count);
    if (error && program)
        return refuse(cursor->why, ENOENT, "no symbol \"%s\" in %s", name, program->path);
    return error ? refuse_unknown(cursor->why, name) : 0;
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
        return refuse(cursor->why, EINVAL, "%s: this kernel cannot run programs", path);
    cursor->program = host.program_load(path, cursor->why);
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
