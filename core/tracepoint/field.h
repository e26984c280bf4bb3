/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The fields of a hit, by name: a tracepoint's own, the common ones (common_type, common_flags,
 * common_preempt_count, common_pid, common_tgid), and comm, the name of the task. The place of a
 * field's value is looked up once, in task context; a hit then reads the value from its arguments,
 * as there is no record yet, in any context. For filters and tallies.
 */
#pragma once

#include "core/tracepoint/define.h"

enum field_source { FIELD_ARGUMENT, FIELD_HEAD, FIELD_COMM };

/* Where a hit finds a field: an argument, or a part of the record's head. */
struct field_place {
    uint8_t source; /* enum field_source */
    bool late;      /* an argument that has to be found first */
    uint8_t place;  /* which argument, or the offset in struct tracepoint_head */
    uint8_t kind;   /* enum tracepoint_kind */
    uint8_t size;   /* of a number, in bytes */
};

/* The field with this name of `length` characters; NULL: there is none. */
const struct tracepoint_field *field_find(const struct tracepoint *tracepoint, const char *name,
                                          size_t length);

/* The place of a field that field_find has returned. */
struct field_place field_place_of(const struct tracepoint *tracepoint,
                                  const struct tracepoint_field *field);

/*
 * The names of its own fields, each followed by a comma and a blank; cut at `size`. Returns
 * `names`.
 */
const char *field_names(const struct tracepoint *tracepoint, char *names, size_t size);

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

/* The value of a field that is not a text; sign-extended if the field has a sign. */
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

/* A text as the record would have it: cut, and 0 after its end. */
static inline void field_text(const struct field_place *field, struct trace_hit *hit,
                              char text[TRACEPOINT_TEXT_SIZE])
{
    if (field->source == FIELD_COMM)
        tracepoint_copy_text(text, task_name());
    else
        tracepoint_copy_text(text, (const char *)field_load_argument(field, hit));
}
