/* SPDX-License-Identifier: BSD-2-Clause */
/* The sort keys of report.h. The rules are those found in the output of perf 6.1 (docs/perf.md). */
#include "core/report/report.h"

#include "core/lib/string.h"
#include "core/lib/words.h"
#include "core/symbols/symbols.h"
#include "core/tracepoint/format.h"

#define CPU_WIDTH     3
#define NUMBER_WIDTH  7 /* a task's number, before ":" and the name */
#define ADDRESS_WIDTH 18
#define LEVEL_WIDTH   4 /* "[k] " */

/* --- Fields ----------------------------------------------------------------------------------- */

/* Returns the event's tracepoint if its samples have the record; otherwise NULL. */
static const struct pitot_tracepoint *recorded_tracepoint(const struct recorded_event *event)
{
    return event->attr.sample_type & PERF_SAMPLE_RAW ? tracepoint_of_event(&event->attr) : NULL;
}

/* Finds the field "NAME" or "EVENT.NAME"; EVENT is the tracepoint, with or without its system. */
static const struct pitot_field *field_of(const char *word, const struct recorded_event *event)
{
    const struct pitot_tracepoint *tracepoint = recorded_tracepoint(event);
    size_t before = 0;

    if (!tracepoint)
        return NULL;
    while (word[before] != '\0' && word[before] != '.')
        before++;
    if (word[before] == '.') {
        const char *name = tracepoint->name, *full = tracepoint->full_name;

        if ((strlen(name) != before || strncmp(word, name, before) != 0) &&
            (strlen(full) != before || strncmp(word, full, before) != 0))
            return NULL;
        word += before + 1;
    }
    for (unsigned i = 0; i < tracepoint->field_count; i++)
        if (strcmp(tracepoint->field[i].name, word) == 0)
            return &tracepoint->field[i];
    return NULL;
}

static int refuse_field(const char *word, const struct record_source *source, struct refusal *why)
{
    char text[240];
    struct words names = words_begin(text, sizeof(text));

    for (size_t i = 0; i < source->event_count; i++) {
        const struct pitot_tracepoint *tracepoint = recorded_tracepoint(&source->events[i]);

        for (unsigned f = 0; tracepoint && f < tracepoint->field_count; f++)
            words_add_once(&names, tracepoint->field[f].name);
    }
    return refuse(why, EINVAL, "unknown sort key \"%s\"; there are comm, cpu, dso, pid, sym%s%s",
                  word, text[0] ? ", " : "; and the fields of tracepoints, where they are recorded",
                  text);
}

int report_keys_check(const struct report_keys *keys, const struct record_source *source,
                      struct refusal *why)
{
    for (unsigned i = 0; i < keys->count; i++) {
        bool found = keys->key[i].kind != REPORT_BY_FIELD;

        for (size_t e = 0; !found && e < source->event_count; e++)
            found = field_of(keys->key[i].word, &source->events[e]) != NULL;
        if (!found)
            return refuse_field(keys->key[i].word, source, why);
    }
    return 0;
}

struct report_keys report_keys_of_event(const struct report_keys *keys,
                                        const struct recorded_event *event)
{
    struct report_keys own = {.count = 0};

    for (unsigned i = 0; i < keys->count; i++) {
        struct report_key key = keys->key[i];

        if (key.kind == REPORT_BY_FIELD)
            key.field = field_of(key.word, event);
        if (key.kind != REPORT_BY_FIELD || key.field)
            own.key[own.count++] = key;
    }
    if (own.count == 0)
        own.key[own.count++] = (struct report_key){.kind = REPORT_BY_NOTHING};
    return own;
}

struct line_sink {
    struct sink sink;
    char text[256];
    size_t length;
};

static void keep_line(struct sink *sink, const char *bytes, size_t length)
{
    struct line_sink *line = (struct line_sink *)sink;

    for (size_t i = 0; i < length && line->length < sizeof(line->text) - 1; i++)
        line->text[line->length++] = bytes[i];
    line->text[line->length] = '\0';
}

/* Like perf, finds a word that begins with the field's name, and skips the byte after the name. */
static bool copy_from_line(const char *line, const char *name, char *text)
{
    size_t length = strlen(name), used = 0;

    while (strncmp(line, name, length) != 0) {
        while (*line != ' ' && *line != '\0')
            line++;
        if (*line == '\0')
            return false;
        line++;
    }
    line += length;
    if (*line != '\0')
        line++;
    while (line[used] != ' ' && line[used] != '\0' && used < REPORT_TEXT_SIZE - 1) {
        text[used] = line[used];
        used++;
    }
    text[used] = '\0';
    return true;
}

static uint64_t value_of(const struct pitot_field *field, const void *record)
{
    uint64_t value = 0;

    memcpy(&value, (const char *)record + field->offset,
           field->size < sizeof(value) ? field->size : sizeof(value));
    return value;
}

/* Prints a single field as libtraceevent does. */
static void print_raw(const struct pitot_field *field, const void *record, char *text)
{
    unsigned long long value = value_of(field, record);

    switch (field->kind) {
    case TRACEPOINT_text:
        print_into(text, REPORT_TEXT_SIZE, "%.*s", (int)field->size,
                   (const char *)record + field->offset);
        return;
    case TRACEPOINT_s32:
        print_into(text, REPORT_TEXT_SIZE, "%d", (int)value);
        return;
    case TRACEPOINT_u32:
        print_into(text, REPORT_TEXT_SIZE, "%llu", value);
        return;
    case TRACEPOINT_s64:
    case TRACEPOINT_state:
        print_into(text, REPORT_TEXT_SIZE, "%lld", (long long)value);
        return;
    default: /* pointers and unsigned long */
        print_into(text, REPORT_TEXT_SIZE, "0x%llx", value);
    }
}

static struct report_place place_of_field(const struct report_key *key,
                                          const struct sample_view *view, char *text)
{
    const struct pitot_field *field = key->field;
    struct line_sink line = {.sink = {keep_line}};

    text[0] = '\0';
    if (!view->raw || view->raw_size < (size_t)field->offset + field->size)
        return (struct report_place){.name = text, .file = REPORT_FILE_TEXT};
    tracepoint_record_print(&line.sink, tracepoint_by_id(view->event->attr.config), view->raw,
                            view->raw_size);
    if (!copy_from_line(line.text, field->name, text))
        print_raw(field, view->raw, text);
    return (struct report_place){
        .name = text,
        .address = field->kind == TRACEPOINT_text ? 0 : value_of(field, view->raw),
        .file = REPORT_FILE_TEXT,
    };
}

/* Like perf, compares the bytes in memory order; the larger value comes first. */
static int compare_fields(const struct report_place *a, const struct report_place *b)
{
    uint64_t left = __builtin_bswap64(a->address), right = __builtin_bswap64(b->address);

    if (left != right)
        return left > right ? -1 : 1;
    return strcmp(b->name, a->name);
}

/* --- Other keys ------------------------------------------------------------------------------- */

/* Like perf, prints the last component of the file's path, or a name in brackets. */
static void print_object(const struct sample_view *view, char *text)
{
    struct user_place place;
    const char *name;

    if (!user_place_possible(view->ip))
        name = "[kernel.kallsyms]";
    else if (!user_place_find(view->pid, view->ip, &place))
        name = "[unknown]";
    else
        name = place.path;
    for (const char *at = name; *at != '\0' && name[0] != '['; at++)
        if (at[0] == '/' && at[1] != '\0')
            name = at + 1;
    print_into(text, REPORT_TEXT_SIZE, "%s", name);
}

struct report_place report_key_place(const struct report_key *key, const struct sample_view *view,
                                     char text[static REPORT_TEXT_SIZE])
{
    const char *comm = comm_of(view->tid);
    struct report_place place = {.name = text, .file = REPORT_FILE_TEXT};

    text[0] = '\0';
    switch (key->kind) {
    case REPORT_BY_FIELD:
        return place_of_field(key, view, text);
    case REPORT_BY_CPU:
        place.address = view->cpu;
        break;
    case REPORT_BY_TID:
        place.address = view->tid;
        /* fallthrough */
    case REPORT_BY_COMM:
        if (comm[0] != '\0')
            print_into(text, REPORT_TEXT_SIZE, "%s", comm);
        else
            print_into(text, REPORT_TEXT_SIZE, ":%d", (int)view->tid);
        break;
    case REPORT_BY_OBJECT:
        print_object(view, text);
        break;
    default:
        break;
    }
    return place;
}

int report_key_compare_places(const struct report_key *key, const struct report_place *a,
                              const struct report_place *b)
{
    if (key->kind != REPORT_BY_SYMBOL || a->address == b->address)
        return 0;
    if (a->name && a->file != b->file)
        return a->file < b->file ? -1 : 1;
    return (int64_t)a->address < (int64_t)b->address ? -1 : 1;
}

int report_key_compare(const struct report_key *key, const struct report_place *a,
                       const struct report_place *b)
{
    switch (key->kind) {
    case REPORT_BY_SYMBOL:
        if (!a->name || !b->name)
            return !a->name - !b->name; /* bare addresses come last */
        return strcmp(a->name, b->name);
    case REPORT_BY_COMM:
    case REPORT_BY_OBJECT:
        return strcmp(a->name, b->name);
    case REPORT_BY_FIELD:
        return compare_fields(a, b);
    default:
        return a->address == b->address ? 0 : a->address < b->address ? -1 : 1;
    }
}

/* --- Columns ---------------------------------------------------------------------------------- */

const char *report_key_heading(const struct report_key *key)
{
    static const char *const headings[] = {
        [REPORT_BY_SYMBOL] = "Symbol", [REPORT_BY_COMM] = "Command",
        [REPORT_BY_CPU] = "CPU",       [REPORT_BY_TID] = "    Pid:Command",
        [REPORT_BY_NOTHING] = "",      [REPORT_BY_OBJECT] = "Shared Object",
    };

    return key->kind == REPORT_BY_FIELD ? key->field->name : headings[key->kind];
}

/* A field's heading is as wide as its string, or as its number with all hexadecimal digits. */
size_t report_key_heading_width(const struct report_key *key)
{
    size_t width = strlen(report_key_heading(key)), wide = 0;

    if (key->kind == REPORT_BY_FIELD)
        wide = key->field->kind == TRACEPOINT_text ? key->field->size : key->field->size * 2u + 2;
    return wide > width ? wide : width;
}

size_t report_key_width(const struct report_key *key, const struct report_place *place)
{
    switch (key->kind) {
    case REPORT_BY_SYMBOL:
        return LEVEL_WIDTH + (place->name ? strlen(place->name) : ADDRESS_WIDTH);
    case REPORT_BY_CPU:
        return CPU_WIDTH;
    case REPORT_BY_TID:
        return NUMBER_WIDTH + 1 + strlen(place->name);
    default:
        return strlen(place->name);
    }
}

void report_key_print(struct sink *sink, const struct report_key *key,
                      const struct report_place *place, char level, size_t width, bool last)
{
    size_t used = report_key_width(key, place);

    switch (key->kind) {
    case REPORT_BY_SYMBOL:
        print_to(sink, "[%c] ", level);
        if (place->name)
            print_to(sink, "%s", place->name);
        else
            print_to(sink, "%s%016llx", place->address ? "0x" : "",
                     (unsigned long long)place->address);
        if (!place->name && !place->address)
            used -= strlen("0x");
        break;
    case REPORT_BY_CPU:
        print_to(sink, "%03llu", (unsigned long long)place->address);
        break;
    case REPORT_BY_TID:
        print_to(sink, "%*llu:%s", NUMBER_WIDTH, (unsigned long long)place->address, place->name);
        break;
    case REPORT_BY_FIELD:
        print_to(sink, "%*s", (int)width, place->name);
        used = width;
        break;
    default:
        print_to(sink, "%s", place->name);
    }
    if (!last && used < width)
        print_to(sink, "%*s", (int)(width - used), "");
}
