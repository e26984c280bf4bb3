/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fields of a hit by name, for filters and aggregates: the tracepoint's own, the common ones
 * (common_type, common_flags, common_preempt_count, common_pid, common_tgid), and comm, the task's
 * name. A field is looked up once, in task context; a hit, in any context, reads its value from the
 * arguments, as there is no record yet.
 */
#pragma once

#include "core/lib/words.h"
#include "core/tracepoint/tracepoint.h"

enum field_source { FIELD_ARGUMENT, FIELD_HEAD, FIELD_COMM };

/* Location of a field in a hit: an argument, or a part of the record's head. */
struct field_place {
    uint8_t source; /* enum field_source */
    bool late;      /* a late argument, which has to be found first */
    uint8_t place;  /* index of the argument, or offset in struct tracepoint_head */
    uint8_t kind;   /* enum tracepoint_kind */
    uint8_t size;   /* size of a number, in bytes */
};

/* Returns the field with this name of `length` characters, or NULL. */
const struct pitot_field *field_find(const struct pitot_tracepoint *tracepoint, const char *name,
                                     size_t length);

/* Returns the location of a field that field_find has returned. */
struct field_place field_place_of(const struct pitot_tracepoint *tracepoint,
                                  const struct pitot_field *field);

/* Adds the names of the tracepoint's own fields. */
void field_names_add(const struct pitot_tracepoint *tracepoint, struct words *names);

static inline bool field_is_text(const struct field_place *field)
{
    return field->kind == TRACEPOINT_text;
}

static inline bool field_has_sign(const struct field_place *field)
{
    return field->kind == TRACEPOINT_s32 || field->kind == TRACEPOINT_s64 ||
           field->kind == TRACEPOINT_state;
}

static inline uint64_t field_load_head(const struct field_place *field, const struct trace_hit *hit)
{
    struct tracepoint_raw raw;
    const char *at = (const char *)&raw.head + field->place;

    tracepoint_begin(hit, hit->regs ? hit->regs->flags : hit->place->flags, &raw);
    switch (field->size) {
    case 1:
        return *(const uint8_t *)at;
    case 2:
        return *(const uint16_t *)at;
    default: /* the two ids */
        return (uint64_t)(int64_t) * (const int32_t *)at;
    }
}

static inline uint64_t field_load_argument(const struct field_place *field, struct trace_hit *hit)
{
    if (field->late)
        tracepoint_need_late(hit);
    return hit->argument[field->place];
}

/* The value of a numeric field, sign-extended if the field has a sign. */
static inline uint64_t field_number(const struct field_place *field, struct trace_hit *hit)
{
    uint64_t value;

    if (field->source == FIELD_HEAD)
        return field_load_head(field, hit);
    value = field_load_argument(field, hit);
    if (field->size == sizeof(value))
        return value;
    return field->kind == TRACEPOINT_s32 ? (uint64_t)(int64_t)(int32_t)value : (uint32_t)value;
}

/* The string as stored in a record: cut, and padded with 0. */
static inline void field_text(const struct field_place *field, struct trace_hit *hit,
                              char text[TRACEPOINT_TEXT_SIZE])
{
    if (field->source == FIELD_COMM)
        tracepoint_copy_text(text, task_name());
    else
        tracepoint_copy_text(text, (const char *)field_load_argument(field, hit));
}
