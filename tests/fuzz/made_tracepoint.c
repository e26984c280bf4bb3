/* SPDX-License-Identifier: BSD-2-Clause */
/* See made_tracepoint.h. */
#include "tests/fuzz/made_tracepoint.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/symbols/symbols.h"

static const struct {
    const char *conversion[2];
    uint16_t size;
} kinds[] = {
    [TRACEPOINT_pointer] = {{"%p", "%p"}, 8},
    [TRACEPOINT_function] = {{"%ps", "%ps"}, 8},
    [TRACEPOINT_code] = {{"%pS", "%pS"}, 8},
    [TRACEPOINT_u32] = {{"%u", "%x"}, 4},
    [TRACEPOINT_s32] = {{"%d", "%d"}, 4},
    [TRACEPOINT_u64] = {{"%lu", "%lx"}, 8},
    [TRACEPOINT_s64] = {{"%ld", "%ld"}, 8},
    [TRACEPOINT_text] = {{"%s", "%s"}, TRACEPOINT_TEXT_SIZE},
    [TRACEPOINT_state] = {{"%s", "%s"}, 8},
    [TRACEPOINT_gfp] = {{"%s", "%s"}, 8},
};

#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

/* Adjacent functions, then nothing. */
#define TEXT          0xffffffff80100000
#define FUNCTION_SIZE 32

static const char *const functions[] = {"lock_kernel", "work.part.0", "_x", "helper"};

#define FUNCTIONS (sizeof(functions) / sizeof(functions[0]))

/* In the order of addresses, which serves as well as any. */
bool symbols_by_name(size_t index, struct symbol *found)
{
    if (index >= FUNCTIONS)
        return false;
    *found = (struct symbol){
        .name = functions[index], .address = TEXT + index * FUNCTION_SIZE, .kind = 't'};
    return true;
}

bool symbols_find_address(uintptr_t address, struct symbol *found)
{
    return address >= TEXT && symbols_by_name((address - TEXT) / FUNCTION_SIZE, found);
}

uint64_t feed_value(struct feed *feed)
{
    static const uint64_t ends[] = {0,          1,          2,         INT32_MAX,  1ull << 31,
                                    UINT32_MAX, 1ull << 32, INT64_MAX, 1ull << 63, UINT64_MAX};
    uint8_t choice = feed_byte(feed);

    if (choice < 0x40)
        return ends[choice % (sizeof(ends) / sizeof(ends[0]))] + (choice >> 4) - 1;
    if (choice < 0x80)
        return TEXT + choice % 16 * FUNCTION_SIZE / 2;
    return feed_number(feed, 1 + choice % 8);
}

void feed_text(struct feed *feed, char *text, size_t most)
{
    size_t length = feed_byte(feed) % (most + 1);

    memset(text, 0, most + 1);
    for (size_t i = 0; i < length; i++) {
        uint8_t byte = feed_byte(feed);

        text[i] = (char)(byte < 0x80 ? "ab*?"[byte % 4] : ' ' + byte % 95);
    }
}

static void make_found(unsigned long *given)
{
    struct made_record *record =
        (struct made_record *)((char *)given - offsetof(struct made_record, given));
    const struct pitot_tracepoint *tracepoint = record->hit.tracepoint;

    for (unsigned i = tracepoint->late; i < tracepoint->field_count; i++)
        given[i] = record->argument[i];
}

void made_tracepoint_feed(struct made_tracepoint *made, unsigned number, struct feed *feed)
{
    static const char *const names[] = {"a",   "order", "next_comm", "x_4",  "Z",
                                        "old", "new",   "how",       "ninth"};
    static const char *const before[] = {"", " ", "=", ", (", " name=", ": 0x"};
    static const char *const behind[] = {"", "", " ", ")", "..."};
    size_t end = sizeof(struct tracepoint_head);
    unsigned wanted;

    _Static_assert(sizeof(names) / sizeof(names[0]) == TRACEPOINT_FIELDS_MAX, "each has a name");
    *made = (struct made_tracepoint){.tracepoint = {.id = (uint16_t)(1 + number)}};
    wanted = 1 + feed_byte(feed) % TRACEPOINT_FIELDS_MAX;
    for (unsigned i = 0; i < wanted; i++) {
        uint8_t kind = feed_byte(feed) % KINDS, words = feed_byte(feed);
        size_t align = kind == TRACEPOINT_text ? 1 : kinds[kind].size;

        end = (end + align - 1) / align * align;
        if (end + kinds[kind].size > TRACEPOINT_RECORD_MAX)
            break;
        made->tracepoint.field_count = i + 1;
        made->field[i] = (struct pitot_field){.name = names[i],
                                              .print = made->print[i],
                                              .kind = kind,
                                              .offset = (uint16_t)end,
                                              .size = kinds[kind].size};
        end += kinds[kind].size;
        snprintf(made->print[i], sizeof(made->print[i]), "%s%s%s", before[words % 6],
                 kinds[kind].conversion[words / 6 % 2], behind[words / 12 % 5]);
    }
    snprintf(made->full_name, sizeof(made->full_name), "fuzz%u:made_%u", number / 2, number);
    made->tracepoint.full_name = made->full_name;
    made->tracepoint.name = strchr(made->full_name, ':') + 1;
    made->tracepoint.field = made->field;
    if (feed_byte(feed) % 2) {
        made->tracepoint.find_late = make_found;
        made->tracepoint.late = feed_byte(feed) % made->tracepoint.field_count;
    }
    made->tracepoint.raw_size = PITOT_RAW_SIZE((uint32_t)end);
}

/* What PITOT_TRACEPOINT's function does, field by field. */
static void made_record_make(const struct made_record *record)
{
    const struct pitot_tracepoint *tracepoint = record->hit.tracepoint;
    char *bytes = (char *)&record->raw->head;

    tracepoint_begin(&record->hit, record->hit.place->flags, record->raw);
    for (unsigned i = 0; i < tracepoint->field_count; i++) {
        const struct pitot_field *field = &tracepoint->field[i];

        if (field->kind == TRACEPOINT_text)
            tracepoint_copy_text(bytes + field->offset, (const char *)record->argument[i]);
        else
            memcpy(bytes + field->offset, &record->argument[i], field->size);
    }
}

void made_record_feed(struct made_record *record, const struct made_tracepoint *made,
                      struct feed *feed)
{
    const struct pitot_tracepoint *tracepoint = &made->tracepoint;

    memset(record, 0, sizeof(*record));
    record->memory = calloc(1, 2 * sizeof(uint32_t) + tracepoint->raw_size);
    record->raw = (struct tracepoint_raw *)((uint32_t *)record->memory + 1);
    record->place.flags = feed_byte(feed) & 1 ? FLAGS_INTERRUPT : 0;
    pitot_preemption[0].off = feed_byte(feed);
    record->hit = (struct trace_hit){
        .tracepoint = tracepoint, .place = &record->place, .argument = record->given};
    record->hit.ids = feed_value(feed) << 32;
    record->hit.ids |= (uint32_t)feed_value(feed);
    for (unsigned i = 0; i < tracepoint->field_count; i++) {
        if (tracepoint->field[i].kind == TRACEPOINT_text) {
            feed_text(feed, record->text[i], sizeof(record->text[i]) - 1);
            record->argument[i] = (uintptr_t)record->text[i];
        } else {
            record->argument[i] = feed_value(feed);
        }
        if (!tracepoint->find_late || i < tracepoint->late)
            record->given[i] = record->argument[i];
    }
    made_record_make(record);
}
