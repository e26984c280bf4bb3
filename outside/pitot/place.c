/* SPDX-License-Identifier: BSD-2-Clause */
/* See place.h. */
#include "outside/pitot/place.h"

#include <string.h>

#include "core/lib/number.h"
#include "core/symbols/symbols.h"

static bool is_one_of(const char *name, const char *const *names)
{
    while (*names && strcmp(name, *names) != 0)
        names++;
    return *names;
}

/* r8d, xmm0, dr7: a number follows, up to `last`, and for r8 to r15 the letter of a part. */
static bool is_numbered(const char *name)
{
    static const struct {
        const char *name;
        uint64_t first, last;
        const char *parts;
    } rows[] = {
        {"r", 8, 15, "dwb"}, {"xmm", 0, 31, ""}, {"ymm", 0, 31, ""},
        {"zmm", 0, 31, ""},  {"mm", 0, 7, ""},   {"st", 0, 7, ""},
        {"k", 0, 7, ""},     {"cr", 0, 8, ""},   {"dr", 0, 7, ""},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        size_t length = strlen(rows[i].name);
        const char *at = name + length;
        uint64_t number;

        if (strncmp(name, rows[i].name, length) == 0 &&
            number_read(&at, 10, rows[i].last, &number) == NUMBER_READ && number >= rows[i].first)
            return !*at || (strchr(rows[i].parts, *at) && !at[1]);
    }
    return false;
}

/* As in assembly, for gdb, or as an address: rax, %rax, $rax, [rax]. */
static bool is_register(const char *typed)
{
    static const char *const wide[] = {"ax", "bx", "cx", "dx",    "si", "di",
                                       "bp", "sp", "ip", "flags", NULL};
    static const char *const others[] = {
        "al", "ah", "bl",   "bh",   "cl",   "ch",   "dl",    "dh",  "cs",  "ds",  "es",  "fs",
        "gs", "ss", "gdtr", "idtr", "ldtr", "efer", "mxcsr", "sil", "dil", "spl", "bpl", NULL};
    char name[8];
    size_t length = strlen(typed += strspn(typed, "%$["));

    length -= length > 0 && typed[length - 1] == ']';
    if (length >= sizeof(name))
        return false;
    memcpy(name, typed, length);
    name[length] = '\0';
    return is_one_of(name, others) || is_one_of(name + (*name == 'r' || *name == 'e'), wide) ||
           is_numbered(name);
}

/* The file is the kernel's, and there is one. */
static const struct kernel *of;

/* What is known of a name better than that it is not there. */
static int refuse_name(const char *what, const char *name, struct refusal *why)
{
    struct symbol nearest;

    if (strcmp(what, "symbol") == 0 && is_register(name))
        return refuse(why, ENOENT,
                      "%s is a register: it changes with each instruction; give an address or a "
                      "symbol",
                      name);
    if (of->stripped)
        return refuse(why, ENOENT, "no %s \"%s\": %s is stripped; %s", what, name, of->path,
                      strcmp(what, "function") == 0
                          ? "--symbols FILE or --kernel ELF names functions"
                          : "give an address");
    if (symbols_suggest(name, &nearest, 1) == 1 && strcmp(nearest.name, name) == 0)
        return refuse(why, ENOENT, "%s is not a %s: it is data, or a local label of assembly", name,
                      what);
    return 0;
}

static const struct place_names names = {.refuse = refuse_name};

int place_refuse_name(const char *what, const char *name, const struct kernel *kernel,
                      struct refusal *why)
{
    of = kernel;
    return place_refuse_unknown(what, name, &names, why);
}

int place_read_range(char *text, const struct kernel *kernel, uint64_t most,
                     struct place_range *range, struct refusal *why)
{
    char *slash = strchr(text, '/');
    struct place place;
    int error = 0;

    of = kernel;
    range->length = 0;
    if (slash) {
        *slash = '\0';
        error = place_read_length(slash + 1, most, &range->length, why);
    }
    if (!error)
        error = place_read(text, &names, &place, why);
    if (error)
        return error;
    range->address = place.address;
    range->fixed = place.is_number;
    if (!slash)
        range->length = place.is_symbol && place.symbol.size ? place.symbol.size : PLACE_LENGTH;
    if (most && range->length > most)
        return refuse(why, EINVAL, "%s is %zu bytes long, and %lu are allowed: give /LEN", text,
                      place.symbol.size, (unsigned long)most);
    if (range->length - 1 > UINT64_MAX - range->address)
        return refuse(why, EINVAL, "0x%lx/%lu lies beyond the end of memory",
                      (unsigned long)range->address, (unsigned long)range->length);
    return 0;
}

char *function_split(char *text)
{
    char *colon = text;

    while ((colon = strchr(colon, ':')) != NULL && colon[1] == ':')
        colon += 2;
    if (colon)
        *colon++ = '\0';
    return colon;
}
