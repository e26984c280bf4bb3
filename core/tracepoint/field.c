/* SPDX-License-Identifier: BSD-2-Clause */
/* See field.h. Task context. */
#include "core/tracepoint/field.h"

#include "core/lib/string.h"

/* The members of struct tracepoint_head, then the task's name. */
static const struct pitot_field common_fields[] = {
    {"common_type", "", TRACEPOINT_u32, offsetof(struct tracepoint_head, common_type), 2},
    {"common_flags", "", TRACEPOINT_u32, offsetof(struct tracepoint_head, common_flags), 1},
    {"common_preempt_count", "", TRACEPOINT_u32,
     offsetof(struct tracepoint_head, common_preempt_count), 1},
    {"common_pid", "", TRACEPOINT_s32, offsetof(struct tracepoint_head, common_pid), 4},
    {"common_tgid", "", TRACEPOINT_s32, offsetof(struct tracepoint_head, common_tgid), 4},
    {"comm", "", TRACEPOINT_text, 0, TASK_NAME_SIZE},
};

#define COMMON_FIELDS (sizeof(common_fields) / sizeof(common_fields[0]))

static const struct pitot_field *find(const struct pitot_field *fields, size_t count,
                                      const char *name, size_t length)
{
    for (size_t i = 0; i < count; i++)
        if (strlen(fields[i].name) == length && strncmp(fields[i].name, name, length) == 0)
            return &fields[i];
    return NULL;
}

const struct pitot_field *field_find(const struct pitot_tracepoint *tracepoint, const char *name,
                                     size_t length)
{
    const struct pitot_field *own = find(tracepoint->field, tracepoint->field_count, name, length);

    return own ? own : find(common_fields, COMMON_FIELDS, name, length);
}

struct field_place field_place_of(const struct pitot_tracepoint *tracepoint,
                                  const struct pitot_field *field)
{
    struct field_place place = {.kind = (uint8_t)field->kind, .size = (uint8_t)field->size};

    if (field == &common_fields[COMMON_FIELDS - 1]) {
        place.source = FIELD_COMM;
    } else if (field >= common_fields && field < common_fields + COMMON_FIELDS) {
        place.source = FIELD_HEAD;
        place.place = (uint8_t)field->offset;
    } else {
        place.place = (uint8_t)(field - tracepoint->field);
        place.late = tracepoint->find_late && place.place >= tracepoint->late;
    }
    return place;
}

void field_names_add(const struct pitot_tracepoint *tracepoint, struct words *names)
{
    for (unsigned i = 0; i < tracepoint->field_count; i++)
        words_add(names, "%s", tracepoint->field[i].name);
}
