/* SPDX-License-Identifier: BSD-2-Clause */
/* See place.h. */
#include "outside/pitot/place.h"

#include <string.h>

#include "core/lib/number.h"
#include "core/lib/print.h"
#include "core/symbols/symbols.h"

#define NEAREST_MAX    5
#define ADDRESSES_MAX  4
#define LENGTH_DEFAULT 4 /* as in perf and in the kernel: for a place of unknown size */

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

int place_refuse_unknown(const char *what, const char *name, const struct kernel *kernel,
                         struct refusal *why)
{
    struct symbol nearest[NEAREST_MAX];
    size_t count = symbols_suggest(name, nearest, NEAREST_MAX), used = 0;
    char near[sizeof(why->text)] = "";

    if (strcmp(what, "symbol") == 0 && is_register(name))
        return refuse(why, ENOENT,
                      "%s is a register: it changes with each instruction; give an address or a "
                      "symbol",
                      name);
    if (kernel->stripped)
        return refuse(why, ENOENT, "no %s \"%s\": %s is stripped; %s", what, name, kernel->path,
                      strcmp(what, "function") == 0
                          ? "--symbols FILE or --kernel ELF names functions"
                          : "give an address");
    if (count > 0 && strcmp(nearest[0].name, name) == 0)
        return refuse(why, ENOENT, "%s is not a %s: it is data, or a local label of assembly", name,
                      what);
    if (count == 0)
        return refuse(why, ENOENT, "no %s \"%s\", and none with a similar spelling", what, name);
    for (size_t i = 0; i < count && used < sizeof(near); i++)
        used +=
            print_into(near + used, sizeof(near) - used, "%s%s", used ? ", " : "", nearest[i].name);
    return refuse(why, ENOENT, "no %s \"%s\"; near: %s", what, name, near);
}

static int refuse_ambiguous(const char *name, size_t count, struct refusal *why)
{
    char list[ADDRESSES_MAX * 24] = "";
    struct symbol symbol;
    size_t used = 0, listed = 0;

    for (size_t i = 0; listed < ADDRESSES_MAX && symbols_by_name(i, &symbol); i++)
        if (strcmp(symbol.name, name) == 0)
            used += print_into(list + used, sizeof(list) - used, "%s0x%lx", listed++ ? ", " : "",
                               (unsigned long)symbol.address);
    return refuse(why, EINVAL, "%zu symbols are called \"%s\"; give the address: %s%s", count, name,
                  list, count > listed ? ", ..." : "");
}

static int read_number(const char *text, const char *what, uint64_t *number, struct refusal *why)
{
    const char *at = text;

    if (number_read(&at, number_base(&at), UINT64_MAX, number) != NUMBER_READ || *at)
        return refuse(why, EINVAL, "%s \"%s\": 0x and hexadecimal digits, or decimal ones", what,
                      text);
    return 0;
}

/* Finds a symbol of that very name, or cuts off an offset: names of C++ have operator+ and -. */
static char *cut_offset(char *text)
{
    char *plus = strrchr(text, '+'), *minus = strrchr(text, '-'),
         *sign = plus > minus ? plus : minus;
    struct symbol symbol;
    size_t count;

    return symbols_find_name(text, &symbol, &count) == -ENOENT ? sign : NULL;
}

/* Sets *size to the symbol's size, or to 0 if it has none or an offset or a number was given. */
static int read_place(char *text, const struct kernel *kernel, uint64_t *address, uint64_t *size,
                      struct refusal *why)
{
    char *sign = cut_offset(text);
    bool back = sign && *sign == '-';
    uint64_t offset = 0;
    struct symbol symbol;
    size_t count;
    int error;

    *size = 0;
    if (number_digit(*text, 10) >= 0)
        return read_number(text, "address", address, why);
    if (sign)
        *sign = '\0';
    error = symbols_find_name(text, &symbol, &count);
    if (error == -EEXIST)
        return refuse_ambiguous(text, count, why);
    if (error)
        return place_refuse_unknown("symbol", text, kernel, why);
    if (sign && (error = read_number(sign + 1, "offset", &offset, why)) != 0)
        return error;
    if (back && offset > symbol.address)
        return refuse(why, EINVAL, "-0x%lx lies before the first address", (unsigned long)offset);
    if (sign && !back && symbol.size && offset >= symbol.size)
        return refuse(why, EINVAL, "+0x%lx lies beyond the end of %s, which is %zu bytes long",
                      (unsigned long)offset, text, symbol.size);
    *address = back ? symbol.address - offset : symbol.address + offset;
    *size = sign ? 0 : symbol.size;
    return 0;
}

int place_read_range(char *text, const struct kernel *kernel, const char *what, const char *name,
                     uint64_t *address, uint64_t *length, struct refusal *why)
{
    char *slash = strchr(text, '/');
    const char *at = slash ? slash + 1 : NULL;
    uint64_t size;
    int error;

    if (slash)
        *slash = '\0';
    if (slash && (number_read(&at, number_base(&at), UINT64_MAX, length) != NUMBER_READ || *at ||
                  *length == 0))
        return refuse(why, EINVAL, "%s \"%s\": length \"%s\": bytes from 1 are allowed", what, name,
                      slash + 1);
    error = read_place(text, kernel, address, &size, why);
    if (error)
        return error;
    if (!slash)
        *length = size ? size : LENGTH_DEFAULT;
    if (*length - 1 > UINT64_MAX - *address)
        return refuse(why, EINVAL, "%s \"%s\" goes beyond the end of memory", what, name);
    return 0;
}
