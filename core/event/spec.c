/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads how a person spells an event (grammar: core/event/spec.h). Called by `perf record`,
 * from the prompt and from the kernel command line; task context.
 *
 * The spelling is read from left to right by a cursor. Every function that reads a part leaves the
 * cursor behind it, and returns 0 or refuses, naming the word that is wrong.
 */
#include "core/event/spec.h"

#include <linux/hw_breakpoint.h>
#include <stdbool.h>

#include "core/host.h"
#include "core/lib/print.h"
#include "core/lib/string.h"
#include "core/symbols/symbols.h"

#define LENGTH_MAX     32           /* four registers of eight bytes */
#define LENGTH_DEFAULT 4            /* perf's own, where nothing better is known */
#define LENGTH_EXECUTE sizeof(long) /* what Linux demands, and perf sends, for x */
#define NEAREST_MAX    5
#define ADDRESSES_MAX  4
#define CLOCK          "cpu-clock"
#define BRANCHES       "branches"
#define FORMAT_OF_EVENTS                                                                           \
    "mem:[/PROGRAM:]ADDR[/LEN][:rw|w|x][:u|:k] or 5:ADDR, " CLOCK ", " BRANCHES                    \
    ", or a tracepoint (`perf list`)"

struct cursor {
    const char *at;
    struct refusal *why;
    const struct host_program *program; /* whose symbols are meant; NULL: the kernel's */
};

/* What ADDR said. */
struct place {
    uintptr_t address;
    bool is_symbol; /* a symbol without an offset: its size may be the length */
    struct symbol symbol;
};

/* Words joined by ", ", cut where the room ends. */
struct list {
    char text[160];
    size_t length;
};

static void list_add(struct list *list, const char *word)
{
    size_t room = list->length < sizeof(list->text) ? sizeof(list->text) - list->length : 0;

    list->length += print_into(list->text + (room ? list->length : 0), room, "%s%s",
                               list->length > 0 ? ", " : "", word);
}

static bool is_digit(char character)
{
    return character >= '0' && character <= '9';
}

/* What may stand in a name: of C, of assembly or of a compiler's making ("copy.part.1"). */
static bool is_name_character(char character)
{
    return is_digit(character) || (character >= 'a' && character <= 'z') ||
           (character >= 'A' && character <= 'Z') ||
           (character != '\0' && strchr("_.$@", character));
}

static size_t word_length(const char *text)
{
    size_t length = 0;

    while (is_name_character(text[length]))
        length++;
    return length;
}

static int digit_value(char character, unsigned base)
{
    int value = -1;

    if (is_digit(character))
        value = character - '0';
    else if (character >= 'a' && character <= 'f')
        value = character - 'a' + 10;
    else if (character >= 'A' && character <= 'F')
        value = character - 'A' + 10;
    return value < (int)base ? value : -1;
}

static int refuse_missing(const struct cursor *cursor, const char *what)
{
    if (*cursor->at == '\0')
        return refuse(cursor->why, EINVAL, "%s missing at the end: " FORMAT_OF_EVENTS, what);
    return refuse(cursor->why, EINVAL, "%s missing before \"%s\": " FORMAT_OF_EVENTS, what,
                  cursor->at);
}

/* Hexadecimal behind 0x, else decimal. `what` names it for a refusal. */
static int read_number(struct cursor *cursor, const char *what, uint64_t *number)
{
    size_t length = word_length(cursor->at);
    bool hexadecimal = cursor->at[0] == '0' && (cursor->at[1] == 'x' || cursor->at[1] == 'X');
    unsigned base = hexadecimal ? 16 : 10;
    size_t i = hexadecimal ? 2 : 0;

    if (i >= length)
        return refuse_missing(cursor, what);
    for (*number = 0; i < length; i++) {
        int digit = digit_value(cursor->at[i], base);
        if (digit < 0)
            return refuse(cursor->why, EINVAL, "\"%.*s\" is no number: 16 and 0x10 are possible",
                          (int)length, cursor->at);
        if (*number > (UINT64_MAX - (unsigned)digit) / base)
            return refuse(cursor->why, EINVAL, "\"%.*s\" does not fit into 64 bits", (int)length,
                          cursor->at);
        *number = *number * base + (unsigned)digit;
    }
    cursor->at += length;
    return 0;
}

static int refuse_unknown(struct refusal *why, const char *name)
{
    struct symbol nearest[NEAREST_MAX];
    size_t count = symbols_suggest(name, nearest, NEAREST_MAX);
    struct list near = {.length = 0};

    if (count == 0)
        return refuse(why, ENOENT, "no symbol \"%s\", and none that is spelt nearly so", name);
    for (size_t i = 0; i < count; i++)
        list_add(&near, nearest[i].name);
    return refuse(why, ENOENT, "no symbol \"%s\"; near: %s", name, near.text);
}

static int refuse_ambiguous(struct refusal *why, const char *name, size_t count)
{
    struct list addresses = {.length = 0};
    struct symbol symbol;
    size_t listed = 0;

    for (size_t i = 0; listed < ADDRESSES_MAX && symbols_by_name(i, &symbol); i++) {
        char address[24];
        if (strcmp(symbol.name, name) != 0)
            continue;
        print_into(address, sizeof(address), "0x%lx", (unsigned long)symbol.address);
        list_add(&addresses, address);
        listed++;
    }
    return refuse(why, EINVAL, "%zu symbols are called \"%s\"; give the address: %s%s", count, name,
                  addresses.text, count > listed ? ", ..." : "");
}

static int find_name(const struct cursor *cursor, const char *name, struct symbol *symbol)
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

static int read_symbol(struct cursor *cursor, struct symbol *symbol)
{
    size_t length = word_length(cursor->at);
    char name[EVENT_NAME_SIZE]; /* the whole spelling fits */

    if (length == 0)
        return refuse_missing(cursor, "address");
    memcpy(name, cursor->at, length);
    name[length] = '\0';
    int error = find_name(cursor, name, symbol);
    if (!error)
        cursor->at += length;
    return error;
}

/* "/PATH:" in front of an address. */
static int read_program(struct cursor *cursor, struct event_spec *spec)
{
    const char *end = strchr(cursor->at, ':');
    char path[EVENT_NAME_SIZE]; /* the whole spelling fits */

    if (*cursor->at != '/' || is_digit(cursor->at[1]))
        return 0; /* the latter: a length without an address */
    if (!end)
        return refuse(cursor->why, EINVAL,
                      "\"%s\": behind a program's file follow a colon and a place in it",
                      cursor->at);
    memcpy(path, cursor->at, (size_t)(end - cursor->at));
    path[end - cursor->at] = '\0';
    if (!host.program_load)
        return refuse(cursor->why, EINVAL, "%s: no programs run here", path);
    cursor->program = host.program_load(path, cursor->why);
    if (!cursor->program)
        return -ENOENT;
    spec->target.program = cursor->program;
    cursor->at = end + 1;
    return 0;
}

static int read_offset(struct cursor *cursor, struct place *place)
{
    uint64_t offset = 0;

    cursor->at++;
    int error = read_number(cursor, "offset", &offset);
    if (error)
        return error;
    if (offset >= place->symbol.size && place->symbol.size != 0)
        return refuse(cursor->why, EINVAL,
                      "+0x%lx lies behind the end of %s, which is %zu bytes long",
                      (unsigned long)offset, place->symbol.name, place->symbol.size);
    if (offset > UINTPTR_MAX - place->address)
        return refuse(cursor->why, EINVAL, "%s+0x%lx lies behind the end of memory",
                      place->symbol.name, (unsigned long)offset);
    place->address += offset;
    place->is_symbol = false;
    return 0;
}

static int read_place(struct cursor *cursor, struct place *place)
{
    *place = (struct place){.is_symbol = !is_digit(cursor->at[0])};
    if (!place->is_symbol) {
        uint64_t number = 0;
        int error = read_number(cursor, "address", &number);
        place->address = number;
        return error;
    }

    int error = read_symbol(cursor, &place->symbol);
    place->address = place->symbol.address;
    if (!error && *cursor->at == '+')
        error = read_offset(cursor, place);
    return error;
}

/* 0 where there is none. */
static int read_length(struct cursor *cursor, uint64_t *length)
{
    *length = 0;
    if (*cursor->at != '/')
        return 0;
    cursor->at++;
    int error = read_number(cursor, "length", length);
    if (!error && (*length == 0 || *length > LENGTH_MAX))
        error = refuse(cursor->why, EINVAL, "length %lu: 1 to %d bytes are possible",
                       (unsigned long)*length, LENGTH_MAX);
    return error;
}

/* True if the word at the cursor is made of `letters`, each at most once; their bits are summed. */
static bool read_letters(struct cursor *cursor, const char *letters, const uint32_t *bits,
                         uint32_t *sum)
{
    size_t length = word_length(cursor->at);

    *sum = 0;
    for (size_t i = 0; i < length; i++) {
        const char *letter = strchr(letters, cursor->at[i]);
        if (!letter || (*sum & bits[letter - letters]))
            return false;
        *sum |= bits[letter - letters];
    }
    if (length > 0)
        cursor->at += length;
    return length > 0;
}

/* The bits of ACCESS, read-write where there is none. */
static int read_access(struct cursor *cursor, uint32_t *access)
{
    static const uint32_t bits[] = {HW_BREAKPOINT_R, HW_BREAKPOINT_W, HW_BREAKPOINT_X};
    struct cursor behind = {cursor->at + 1, cursor->why, NULL};

    *access = HW_BREAKPOINT_RW;
    if (*cursor->at != ':' || !read_letters(&behind, "rwx", bits, access)) {
        *access = HW_BREAKPOINT_RW;
        return 0;
    }
    if (*access == HW_BREAKPOINT_R)
        return refuse(cursor->why, EINVAL,
                      "access \"r\": x86 has no read-only watchpoint; rw is the nearest");
    if ((*access & HW_BREAKPOINT_X) && *access != HW_BREAKPOINT_X)
        return refuse(cursor->why, EINVAL,
                      "access \"%.*s\": x cannot be had together with r or w in one register",
                      (int)word_length(cursor->at + 1), cursor->at + 1);
    *cursor = behind;
    return 0;
}

/*
 * u and k say where to look: the one that is missing is excluded, and neither means both. `else_is`
 * says what might have stood there besides.
 */
static int read_modifiers(struct cursor *cursor, const char *else_is, struct perf_event_attr *attr)
{
    enum { USER = 1, KERNEL = 2 };
    static const uint32_t bits[] = {USER, KERNEL};
    uint32_t where;

    if (*cursor->at != ':')
        return 0;
    cursor->at++;
    if (!read_letters(cursor, "uk", bits, &where))
        return refuse(cursor->why, EINVAL, "\"%s\" is %s (u, k)", cursor->at, else_is);
    attr->exclude_user = !(where & USER);
    attr->exclude_kernel = !(where & KERNEL);
    return 0;
}

static int read_end(const struct cursor *cursor)
{
    if (*cursor->at == '\0')
        return 0;
    return refuse(cursor->why, EINVAL, "\"%s\" is too much: " FORMAT_OF_EVENTS, cursor->at);
}

static bool is_code(const struct symbol *symbol)
{
    return symbol->kind == 't' || symbol->kind == 'T';
}

/* The length of a data watch where nobody gave one. */
static int default_length(const struct place *place, struct refusal *why, uint64_t *length)
{
    const struct symbol *symbol = &place->symbol;

    *length = LENGTH_DEFAULT;
    if (!place->is_symbol || symbol->size == 0)
        return 0;
    /* Nobody reads or writes a function as a whole. */
    *length = is_code(symbol) ? 1 : symbol->size;
    if (*length > LENGTH_MAX)
        return refuse(why, EINVAL,
                      "%s is %zu bytes long; registers cover %d: give /LEN, e.g. mem:%s/8",
                      symbol->name, symbol->size, LENGTH_MAX, symbol->name);
    return 0;
}

/* `given` is 0 where no length was given. */
static int choose_length(const struct place *place, uint64_t given, struct refusal *why,
                         struct perf_event_attr *attr)
{
    uint64_t length = given;

    if (attr->bp_type == HW_BREAKPOINT_X) {
        if (given != 0 && given != 1 && given != LENGTH_EXECUTE)
            return refuse(why, EINVAL, "length %lu: for x it is 1, or 8 as in perf, or none",
                          (unsigned long)given);
        length = LENGTH_EXECUTE;
    } else if (given == 0) {
        int error = default_length(place, why, &length);
        if (error)
            return error;
    }
    attr->bp_len = length;
    return 0;
}

/* Behind "mem:". */
static int read_mem(struct cursor *cursor, struct event_spec *spec)
{
    struct perf_event_attr *attr = &spec->attr;
    struct place place = {.address = 0};
    uint64_t length = 0;

    int error = read_program(cursor, spec);
    if (!error)
        error = read_place(cursor, &place);
    if (!error)
        error = read_length(cursor, &length);
    if (!error)
        error = read_access(cursor, &attr->bp_type);
    if (!error)
        error =
            read_modifiers(cursor, "neither an access (rw, w, x) nor a modifier behind one", attr);
    if (!error)
        error = read_end(cursor);
    attr->bp_addr = place.address;
    return error ? error : choose_length(&place, length, cursor->why, attr);
}

/* Behind "5:". */
static int read_raw(struct cursor *cursor, struct perf_event_attr *attr)
{
    struct place place;

    int error = read_place(cursor, &place);
    if (!error)
        error = read_end(cursor);
    attr->bp_addr = place.address;
    attr->bp_type = HW_BREAKPOINT_RW;
    attr->bp_len = HW_BREAKPOINT_LEN_1;
    return error;
}

/* Behind "cpu-clock". */
static int read_clock(struct cursor *cursor, struct perf_event_attr *attr)
{
    int error = read_modifiers(cursor, "no modifier of " CLOCK, attr);

    attr->type = PERF_TYPE_SOFTWARE;
    attr->config = PERF_COUNT_SW_CPU_CLOCK;
    return error ? error : read_end(cursor);
}

/* Behind "branches". */
static int read_branches(struct cursor *cursor, struct perf_event_attr *attr)
{
    int error = read_modifiers(cursor, "no modifier of " BRANCHES, attr);

    attr->type = PERF_TYPE_HARDWARE;
    attr->config = PERF_COUNT_HW_BRANCH_INSTRUCTIONS;
    return error ? error : read_end(cursor);
}

/* Every name has a colon behind its system, which no other spelling begins with. */
static int read_tracepoint(const char *spelling, struct perf_event_attr *attr, struct refusal *why)
{
    struct tracepoint *tracepoint = NULL;
    struct list near = {.length = 0};
    size_t system = (size_t)(strchr(spelling, ':') - spelling) + 1;

    while ((tracepoint = tracepoint_after(tracepoint)) != NULL) {
        if (strcmp(tracepoint->full_name, spelling) == 0) {
            attr->type = PERF_TYPE_TRACEPOINT;
            attr->config = tracepoint_id(tracepoint);
            return 0;
        }
        if (strncmp(tracepoint->full_name, spelling, system) == 0)
            list_add(&near, tracepoint->name);
    }
    if (near.length > 0)
        return refuse(why, ENOENT, "no tracepoint \"%s\"; %.*s has %s", spelling, (int)system,
                      spelling, near.text);
    return refuse(why, EINVAL, "unknown event \"%s\": " FORMAT_OF_EVENTS, spelling);
}

static bool skip_prefix(struct cursor *cursor, const char *prefix)
{
    bool found = strncmp(cursor->at, prefix, strlen(prefix)) == 0;

    if (found)
        cursor->at += strlen(prefix);
    return found;
}

/* The whole name of an event without a place. */
static bool skip_name(struct cursor *cursor, const char *name)
{
    size_t length = strlen(name);
    bool found = strncmp(cursor->at, name, length) == 0 &&
                 (cursor->at[length] == '\0' || cursor->at[length] == ':');

    if (found)
        cursor->at += length;
    return found;
}

int event_spec_parse(const char *spelling, struct event_spec *spec, struct refusal *why)
{
    struct cursor cursor = {spelling, why, NULL};

    if (strlen(spelling) >= sizeof(spec->name))
        return refuse(why, EINVAL, "event of %zu characters: %zu are possible", strlen(spelling),
                      sizeof(spec->name) - 1);
    memset(spec, 0, sizeof(*spec));
    memcpy(spec->name, spelling, strlen(spelling));
    spec->attr.type = PERF_TYPE_BREAKPOINT;
    spec->attr.size = sizeof(spec->attr);

    if (skip_prefix(&cursor, "mem:"))
        return read_mem(&cursor, spec);
    if (skip_prefix(&cursor, "5:"))
        return read_raw(&cursor, &spec->attr);
    if (skip_name(&cursor, CLOCK))
        return read_clock(&cursor, &spec->attr);
    if (skip_name(&cursor, BRANCHES) || skip_name(&cursor, "branch-instructions"))
        return read_branches(&cursor, &spec->attr);
    if (strchr(spelling, ':'))
        return read_tracepoint(spelling, &spec->attr, why);
    return refuse(why, EINVAL, "unknown event \"%s\": " FORMAT_OF_EVENTS, spelling);
}
