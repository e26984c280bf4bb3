/* SPDX-License-Identifier: BSD-2-Clause */
/* See place.h. */
#include "core/symbols/place.h"

#include <linux/hw_breakpoint.h>

#include "core/lib/number.h"
#include "core/lib/string.h"
#include "core/lib/words.h"
#include "core/symbols/symbols.h"

#define NEAREST_MAX   5
#define ADDRESSES_MAX 4
#define LIST          200 /* bytes for the names in a refusal */

/* --- Names --- */

int place_refuse_unknown(const char *what, const char *name, const struct place_names *names,
                         struct refusal *why)
{
    struct symbol nearest[NEAREST_MAX];
    size_t count = names->table ? symbol_table_suggest(names->table, name, nearest, NEAREST_MAX)
                                : symbols_suggest(name, nearest, NEAREST_MAX);
    const char *in = names->path ? " in " : "", *path = names->path ? names->path : "";
    char text[LIST];
    struct words near = words_begin(text, sizeof(text));
    int error = names->refuse ? names->refuse(what, name, why) : 0;

    if (error)
        return error;
    if (count == 0)
        return refuse(why, ENOENT, "no %s \"%s\"%s%s, and none with a similar spelling", what, name,
                      in, path);
    for (size_t i = 0; i < count; i++)
        words_add(&near, "%s", nearest[i].name);
    return refuse(why, ENOENT, "no %s \"%s\"%s%s; near: %s", what, name, in, path, text);
}

static int refuse_ambiguous(const char *name, size_t count, struct refusal *why)
{
    char text[LIST];
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

/* Returns 0, -ENOENT or -EEXIST, as core/symbols/symbols.h. */
static int find(const char *name, const struct place_names *names, struct symbol *symbol,
                size_t *count)
{
    return names->table ? symbol_table_find_name(names->table, name, symbol, count)
                        : symbols_find_name(name, symbol, count);
}

static int find_name(const char *name, const struct place_names *names, struct symbol *symbol,
                     struct refusal *why)
{
    size_t count;
    int error = find(name, names, symbol, &count);

    if (error == -EEXIST && names->table)
        return refuse(why, EINVAL, "%zu symbols of %s are called \"%s\"; give the address", count,
                      names->path, name);
    if (error == -EEXIST)
        return refuse_ambiguous(name, count, why);
    return error ? place_refuse_unknown("symbol", name, names, why) : 0;
}

/* --- Numbers --- */

static int read_number(const char *text, uint64_t *number, struct refusal *why)
{
    const char *at = text;
    enum number found = number_read(&at, number_base(&at), UINT64_MAX, number);

    if (found == NUMBER_LARGE)
        return refuse(why, EINVAL, "\"%s\" does not fit into 64 bits", text);
    if (found == NUMBER_NONE || *at)
        return refuse(why, EINVAL, "\"%s\" is not a number; write it as 16 or 0x10", text);
    return 0;
}

int place_read_length(const char *text, uint64_t most, uint64_t *length, struct refusal *why)
{
    int error = read_number(text, length, why);

    if (error || (*length > 0 && (most == 0 || *length <= most)))
        return error;
    if (most == 0)
        return refuse(why, EINVAL, "length %lu: bytes from 1 on are allowed",
                      (unsigned long)*length);
    return refuse(why, EINVAL, "length %lu: 1 to %lu bytes are allowed", (unsigned long)*length,
                  (unsigned long)most);
}

unsigned place_access(const char *text, size_t length)
{
    static const char letters[] = "rwx";
    static const unsigned bits[] = {HW_BREAKPOINT_R, HW_BREAKPOINT_W, HW_BREAKPOINT_X};
    unsigned access = 0;

    for (size_t i = 0; i < length; i++) {
        const char *letter = text[i] ? strchr(letters, text[i]) : NULL;

        if (!letter || access & bits[letter - letters])
            return 0;
        access |= bits[letter - letters];
    }
    return access;
}

/* --- A place --- */

/* Returns the last + or -, or NULL if the whole text is a name: those of C++ have operator+. */
static char *find_sign(char *text, const struct place_names *names)
{
    char *sign = NULL;
    struct symbol symbol;
    size_t count;

    if (find(text, names, &symbol, &count) != -ENOENT)
        return NULL;
    for (char *at = text; *at; at++)
        if (*at == '+' || *at == '-')
            sign = at;
    return sign;
}

/* `digits` follows the sign. */
static int add_offset(struct place *place, bool back, const char *digits, struct refusal *why)
{
    const struct symbol *symbol = &place->symbol;
    uint64_t offset;
    int error;

    if (!*digits)
        return refuse(why, EINVAL, "offset missing after \"%s%c\"", symbol->name, back ? '-' : '+');
    error = read_number(digits, &offset, why);
    if (error)
        return error;
    if (back && offset > place->address)
        return refuse(why, EINVAL, "%s-0x%lx lies before the first address", symbol->name,
                      (unsigned long)offset);
    if (!back && symbol->size != 0 && offset >= symbol->size)
        return refuse(why, EINVAL, "+0x%lx lies beyond the end of %s, which is %zu bytes long",
                      (unsigned long)offset, symbol->name, symbol->size);
    if (!back && offset > UINT64_MAX - place->address)
        return refuse(why, EINVAL, "%s+0x%lx lies beyond the end of memory", symbol->name,
                      (unsigned long)offset);
    place->address += back ? -offset : offset;
    return 0;
}

int place_read(char *text, const struct place_names *names, struct place *place,
               struct refusal *why)
{
    bool back = false;
    char *sign;
    int error;

    *place = (struct place){.is_number = number_digit(*text, 10) >= 0};
    if (place->is_number)
        return read_number(text, &place->address, why);
    sign = find_sign(text, names);
    if (sign) {
        back = *sign == '-';
        *sign = '\0';
    }
    error = find_name(text, names, &place->symbol, why);
    if (error)
        return error;
    place->address = place->symbol.address;
    place->is_symbol = !sign;
    return sign ? add_offset(place, back, sign + 1, why) : 0;
}
