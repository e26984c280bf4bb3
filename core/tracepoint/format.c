/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * See format.h. The format follows libtraceevent's parser, tep_parse_event, and the printed line
 * its print_event; tests/fuzz/format_fuzz.c compares both with that library.
 */
#include "core/tracepoint/format.h"

#include "core/lib/string.h"
#include "core/symbols/symbols.h"

/* A value that is shown by its name. */
struct choice {
    uint64_t value;
    const char *name;
};

static const struct choice states[] = {
    {PITOT_STATE_RUNNABLE, "R"}, {PITOT_STATE_SLEEPING, "S"}, {PITOT_STATE_ENDED, "X"}, {0, NULL}};
static const struct choice gfp[] = {{PITOT_GFP_ZERO, "__GFP_ZERO"}, {0, NULL}};

static const struct {
    const char *type;
    bool is_signed;
    const struct choice *choices; /* the last has no name; NULL: shown as a number or a string */
} kinds[] = {
    [TRACEPOINT_pointer] = {"void *", false, NULL},
    [TRACEPOINT_function] = {"void *", false, NULL},
    [TRACEPOINT_code] = {"void *", false, NULL},
    [TRACEPOINT_u32] = {"unsigned int", false, NULL},
    [TRACEPOINT_s32] = {"int", true, NULL},
    [TRACEPOINT_u64] = {"unsigned long", false, NULL},
    [TRACEPOINT_s64] = {"long", true, NULL},
    [TRACEPOINT_text] = {"char", false, NULL},
    [TRACEPOINT_state] = {"long", true, states},
    [TRACEPOINT_gfp] = {"unsigned long", false, gfp},
};

#define HEAD_FIELD(type, field, is_signed)                                                         \
    print_to(sink, "\tfield:%s " #field ";\toffset:%zu;\tsize:%zu;\tsigned:%d;\n", type,           \
             offsetof(struct tracepoint_head, field),                                              \
             sizeof(((struct tracepoint_head *)NULL)->field), is_signed)

const char *tracepoint_type_name(const struct pitot_field *field)
{
    return kinds[field->kind].type;
}

/* True if the value is shown by its name from the symbol table. */
static bool is_named(const struct pitot_field *field)
{
    return field->kind == TRACEPOINT_function || field->kind == TRACEPOINT_code;
}

void format_names_add(struct format_names *names, const struct pitot_tracepoint *tracepoint,
                      const void *record, size_t size)
{
    for (unsigned i = 0; i < tracepoint->field_count; i++) {
        const struct pitot_field *field = &tracepoint->field[i];
        unsigned known = 0;
        uint64_t value;

        if (!is_named(field) || field->offset + sizeof(value) > size)
            continue;
        memcpy(&value, (const char *)record + field->offset, sizeof(value));
        while (known < names->count && names->value[known] != value)
            known++;
        if (known == names->count && known < FORMAT_NAMES_MAX)
            names->value[names->count++] = value;
    }
}

/* Prints "%ps" and "%pS" as "%s", for a name from the table. */
static void print_piece(struct sink *sink, const struct pitot_field *field, bool by_table)
{
    for (const char *at = field->print; *at; at++) {
        if (by_table && at[0] == 'p' && at > field->print && at[-1] == '%') {
            print_to(sink, "s");
            at++;
            continue;
        }
        print_to(sink, "%c", *at);
    }
}

static void print_place(struct sink *sink, const struct pitot_field *field, uint64_t value)
{
    struct symbol symbol;

    if (!symbols_find_address(value, &symbol)) {
        print_to(sink, "0x%llx", (unsigned long long)value);
        return;
    }
    print_to(sink, "%s", symbol.name);
    if (field->kind == TRACEPOINT_code)
        print_to(sink, "+0x%llx", (unsigned long long)(value - symbol.address));
}

static void print_entry(struct sink *sink, const struct pitot_field *field, uint64_t value)
{
    print_to(sink, ", { 0x%llx, \"", (unsigned long long)value);
    print_place(sink, field, value);
    print_to(sink, "\" }");
}

/* Prints a value without a name as libtraceevent does. */
static void print_choice(struct sink *sink, const struct pitot_field *field, uint64_t value)
{
    const struct choice *choice = kinds[field->kind].choices;

    while (choice->name && choice->value != value)
        choice++;
    if (choice->name)
        print_to(sink, "%s", choice->name);
    else
        print_to(sink, "0x%llx", (unsigned long long)value);
}

static void print_choices(struct sink *sink, const struct pitot_field *field)
{
    print_to(sink, ", __print_symbolic(REC->%s", field->name);
    for (const struct choice *at = kinds[field->kind].choices; at->name; at++)
        print_to(sink, ", { 0x%llx, \"%s\" }", (unsigned long long)at->value, at->name);
    print_to(sink, ")");
}

static void print_functions(struct sink *sink, const struct pitot_field *field)
{
    struct symbol symbol;

    for (size_t i = 0; symbols_by_name(i, &symbol); i++)
        if (symbol.kind == 't' || symbol.kind == 'T')
            print_entry(sink, field, symbol.address);
}

/* Values without a name are in the table, too: libtraceevent does not accept an empty table. */
static void print_argument(struct sink *sink, const struct pitot_field *field,
                           const struct format_names *names, bool by_table)
{
    if (kinds[field->kind].choices) {
        print_choices(sink, field);
        return;
    }
    if (!by_table) {
        print_to(sink, ", REC->%s", field->name);
        return;
    }
    print_to(sink, ", __print_symbolic(REC->%s", field->name);
    for (unsigned i = 0; i < names->count; i++)
        print_entry(sink, field, names->value[i]);
    if (names->functions && field->kind == TRACEPOINT_function)
        print_functions(sink, field);
    else if (names->count == 0)
        print_entry(sink, field, 0);
    print_to(sink, ")");
}

void tracepoint_format_print(struct sink *sink, const struct pitot_tracepoint *tracepoint,
                             const struct format_names *names)
{
    bool table = names && (names->count > 0 || names->functions);

    print_to(sink, "name: %s\nID: %u\nformat:\n", tracepoint->name, tracepoint_id(tracepoint));
    HEAD_FIELD("unsigned short", common_type, 0);
    HEAD_FIELD("unsigned char", common_flags, 0);
    HEAD_FIELD("unsigned char", common_preempt_count, 0);
    HEAD_FIELD("int", common_pid, 1);
    HEAD_FIELD("int", common_tgid, 1);
    print_to(sink, "\n");
    for (unsigned i = 0; i < tracepoint->field_count; i++) {
        const struct pitot_field *field = &tracepoint->field[i];

        print_to(sink, "\tfield:%s %s", kinds[field->kind].type, field->name);
        if (field->kind == TRACEPOINT_text)
            print_to(sink, "[%u]", field->size);
        print_to(sink, ";\toffset:%u;\tsize:%u;\tsigned:%d;\n", field->offset, field->size,
                 kinds[field->kind].is_signed);
    }
    print_to(sink, "\nprint fmt: \"");
    for (unsigned i = 0; i < tracepoint->field_count; i++)
        print_piece(sink, &tracepoint->field[i], table && is_named(&tracepoint->field[i]));
    print_to(sink, "\"");
    for (unsigned i = 0; i < tracepoint->field_count; i++)
        print_argument(sink, &tracepoint->field[i], names,
                       table && is_named(&tracepoint->field[i]));
    print_to(sink, "\n");
}

/* `conversion` is the letter after the %, without any l. */
static void print_value(struct sink *sink, const struct pitot_field *field, char conversion,
                        const char *at)
{
    union {
        uint64_t u64;
        int64_t s64;
        uint32_t u32;
        int32_t s32;
    } value = {.u64 = 0};

    if (field->kind == TRACEPOINT_text) {
        print_to(sink, "%.*s", field->size, at);
        return;
    }
    memcpy(&value, at, field->size);
    if (is_named(field))
        print_place(sink, field, value.u64);
    else if (kinds[field->kind].choices)
        print_choice(sink, field, value.u64);
    else if (field->kind == TRACEPOINT_pointer && value.u64 == 0)
        print_to(sink, "(nil)"); /* as glibc, and therefore perf, prints it */
    else if (field->kind == TRACEPOINT_pointer)
        print_to(sink, "0x%llx", (unsigned long long)value.u64);
    else if (field->kind == TRACEPOINT_s32)
        print_to(sink, "%d", value.s32);
    else if (field->kind == TRACEPOINT_s64)
        print_to(sink, "%lld", (long long)value.s64);
    else if (conversion == 'x')
        print_to(sink, "%llx", (unsigned long long)value.u64);
    else
        print_to(sink, "%llu", (unsigned long long)value.u64);
}

void tracepoint_record_print(struct sink *sink, const struct pitot_tracepoint *tracepoint,
                             const void *record, size_t size)
{
    for (unsigned i = 0; i < tracepoint->field_count; i++) {
        const struct pitot_field *field = &tracepoint->field[i];

        for (const char *at = field->print; *at; at++) {
            if (*at != '%') {
                print_to(sink, "%c", *at);
                continue;
            }
            at++;
            if (*at == 'l')
                at++;
            if (*at == 'p' && (at[1] == 's' || at[1] == 'S'))
                at++;
            if (field->offset + field->size <= size)
                print_value(sink, field, *at, (const char *)record + field->offset);
        }
    }
}
