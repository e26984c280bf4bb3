/* SPDX-License-Identifier: BSD-2-Clause */
/* See recording.h. Called by tools/postmortem/recording.c. */
#include "tools/postmortem/recording.h"

#include <stdlib.h>
#include <string.h>

#include "arch/memory.h"
#include "core/tracepoint/tracepoint.h"

#define TEXT_MAX 128 /* bytes of a name or a field's text; the longest has 40 */
#define PIECE    32u

static struct pitot_tracepoint *tracepoints;
static size_t count;

struct pitot_tracepoint *tracepoint_by_id(uint64_t id)
{
    return id > 0 && id <= count ? &tracepoints[id - 1] : NULL;
}

uint16_t tracepoint_id(const struct pitot_tracepoint *tracepoint)
{
    return tracepoint->id;
}

/*
 * Returns a copy of the string to which the pointer at `place` points, or NULL. No read crosses a
 * page.
 */
static char *read_string(struct memory *memory, uint64_t place)
{
    char text[TEXT_MAX + 1] = "";
    uint64_t address;
    size_t length = 0;

    if (!memory->read(memory, place, &address, sizeof(address)))
        return NULL;
    while (length < TEXT_MAX) {
        uint64_t room = PAGE_SIZE - (address + length) % PAGE_SIZE;
        size_t part = room < PIECE ? (size_t)room : PIECE;

        part = part < TEXT_MAX - length ? part : TEXT_MAX - length;
        if (!memory->read(memory, address + length, text + length, part))
            return NULL;
        if (memchr(text + length, '\0', part))
            return strdup(text);
        length += part;
    }
    return NULL;
}

static bool read_field(struct memory *memory, const struct recorder_tracepoint *layout,
                       uint64_t address, struct pitot_field *field)
{
    uint32_t kind;

    field->name = read_string(memory, address + layout->field_name);
    field->print = read_string(memory, address + layout->field_print);
    if (!field->name || !field->print ||
        !memory->read(memory, address + layout->field_kind, &kind, sizeof(kind)) ||
        !memory->read(memory, address + layout->field_offset, &field->offset,
                      sizeof(field->offset)) ||
        !memory->read(memory, address + layout->field_size, &field->size, sizeof(field->size)))
        return false;
    field->kind = (enum tracepoint_kind)kind;
    return kind <= TRACEPOINT_gfp && field->size <= TRACEPOINT_RECORD_MAX;
}

static bool read_tracepoint(struct memory *memory, const struct recorder_tracepoint *layout,
                            uint64_t address, struct pitot_tracepoint *to)
{
    struct pitot_field *fields = calloc(TRACEPOINT_FIELDS_MAX, sizeof(*fields));
    uint64_t first;

    to->field = fields;
    to->full_name = read_string(memory, address + layout->full_name);
    to->name = read_string(memory, address + layout->name);
    if (!fields || !to->full_name || !to->name ||
        !memory->read(memory, address + layout->fields, &first, sizeof(first)) ||
        !memory->read(memory, address + layout->field_count, &to->field_count,
                      sizeof(to->field_count)) ||
        to->field_count > TRACEPOINT_FIELDS_MAX)
        return false;
    /* core/stream/tracing_data.c takes the system from the front of the full name. */
    char *colon = strchr(to->full_name, ':');
    if (!colon || strcmp(colon + 1, to->name) != 0)
        return false;
    free((char *)to->name);
    to->name = colon + 1;
    for (unsigned i = 0; i < to->field_count; i++)
        if (!read_field(memory, layout, first + i * layout->field_stride, &fields[i]))
            return false;
    return true;
}

bool tracepoints_read(struct memory *memory, const struct recorder *recorder)
{
    uint64_t total = (recorder->tracepoints_end - recorder->tracepoints) / sizeof(uint64_t);

    if (total > UINT16_MAX || !(tracepoints = calloc(total + 1, sizeof(*tracepoints))))
        return complain(memory->path, "%llu tracepoints are not possible",
                        (unsigned long long)total);
    for (count = 0; count < total; count++) {
        uint64_t address, place = recorder->tracepoints + count * sizeof(address);

        if (!memory->read(memory, place, &address, sizeof(address)) ||
            !read_tracepoint(memory, &recorder->tracepoint, address, &tracepoints[count]))
            return complain(memory->path, "what describes tracepoint %zu is damaged", count + 1);
        tracepoints[count].id = (uint16_t)(count + 1);
    }
    return true;
}
