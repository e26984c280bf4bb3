/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tracepoints whose records no function of their own makes: of other languages than C and C++, and
 * those that a kernel makes of tables. pitot_init lays out their records, in any order of fields.
 */
#include <linux/errno.h>

#include "core/lib/string.h"
#include "core/tracepoint/tracepoint.h"

/* Clears the whole record first, including padding. Any context. */
static char *make_record(const struct pitot_tracepoint *tracepoint, char *record,
                         const unsigned long *argument)
{
    memset(record + sizeof(struct tracepoint_head), 0,
           tracepoint->raw_size - sizeof(struct tracepoint_head));
    for (unsigned i = 0; i < tracepoint->field_count; i++) {
        const struct pitot_field *field = &tracepoint->field[i];
        char *to = record + field->offset;

        if (field->kind == TRACEPOINT_text)
            pitot_put(to, TRACEPOINT_TEXT_SIZE, argument[i]);
        else if (field->size == sizeof(uint32_t))
            pitot_put(to, sizeof(uint32_t), argument[i]);
        else
            pitot_put(to, sizeof(uint64_t), argument[i]);
    }
    return record + tracepoint->raw_size;
}

/* 8-byte fields are aligned relative to the record's beginning; others need not be. */
static unsigned place_fields(struct pitot_field *field, unsigned count)
{
    unsigned end = sizeof(struct tracepoint_head);

    for (unsigned i = 0; i < count; i++) {
        if (field[i].size == sizeof(uint64_t))
            end = (end + 7) & ~7u;
        field[i].offset = (uint16_t)end;
        end += field[i].size;
    }
    return end;
}

static int complete(struct pitot_tracepoint *tracepoint, struct refusal *why)
{
    unsigned most = tracepoint->in_memory ? TRACEPOINT_FIELDS_MAX : ARCH_GATE_ARGUMENTS, end;

    if (tracepoint->field_count > most)
        return refuse(why, EINVAL, "%s: up to %u fields are allowed", tracepoint->full_name, most);
    end = place_fields((struct pitot_field *)tracepoint->field, tracepoint->field_count);
    if (end > TRACEPOINT_RECORD_MAX)
        return refuse(why, EINVAL, "%s: its record has more than %d bytes", tracepoint->full_name,
                      TRACEPOINT_RECORD_MAX);
    tracepoint->raw_size = PITOT_RAW_SIZE(end);
    tracepoint->make = make_record;
    return 0;
}

int tracepoints_complete(struct refusal *why)
{
    struct pitot_tracepoint *each;
    int error = 0;

    for (uint16_t id = 1; !error && (each = tracepoint_by_id(id)) != NULL; id++)
        if (!each->make)
            error = complete(each, why);
    return error;
}
