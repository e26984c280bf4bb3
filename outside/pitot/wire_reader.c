/* SPDX-License-Identifier: BSD-2-Clause */
/* See watch.h. */
#include <string.h>

#include "outside/pitot/watch.h"

static const size_t sizes[] = {
    [WIRE_BEGIN] = sizeof(struct wire_begin),
    [WIRE_CONTEXT] = sizeof(struct wire_context),
    [WIRE_THREAD] = sizeof(struct wire_thread),
    [WIRE_SAMPLE] = sizeof(struct wire_sample),
    [WIRE_COUNT] = sizeof(struct wire_count),
    [WIRE_END] = sizeof(struct wire_end),
    [WIRE_WORD] = sizeof(struct wire_word),
    [WIRE_CLOCK] = sizeof(struct wire_number),
    [WIRE_SLIDE] = sizeof(struct wire_number),
    [WIRE_STRANGE] = sizeof(struct wire_strange),
    [WIRE_PATCHED] = sizeof(struct wire_number),
    [WIRE_COST] = sizeof(struct wire_cost),
    [WIRE_LATE] = sizeof(struct wire_number),
    [WIRE_UNKNOWN] = sizeof(struct wire_number),
    [WIRE_ONE_THREAD] = sizeof(struct wire_number),
    [WIRE_LOST] = sizeof(struct wire_number),
    [WIRE_WHERE] = sizeof(struct wire_where),
    [WIRE_LAST] = sizeof(struct wire_last),
    [WIRE_BLOCK] = sizeof(struct wire_block),
    [WIRE_REGISTERS] = sizeof(struct wire_registers),
    [WIRE_MAPPING] = sizeof(struct wire_mapping),
    [WIRE_HELD] = sizeof(struct wire_held),
    [WIRE_UNREAD] = sizeof(struct wire_number),
    [WIRE_HEAP] = sizeof(struct wire_heap),
    [WIRE_LIVE] = sizeof(struct wire_live),
    [WIRE_OBJECTS] = sizeof(struct wire_objects),
    [WIRE_LOCK] = sizeof(struct wire_lock),
    [WIRE_LOCK_ORDER] = sizeof(struct wire_lock_order),
    [WIRE_LOCK_WAIT] = sizeof(struct wire_lock_wait),
    [WIRE_MASKED] = sizeof(struct wire_masked),
    [WIRE_LOCKS] = sizeof(struct wire_locks),
    [WIRE_RACE] = sizeof(struct wire_race),
    [WIRE_STOPS] = sizeof(struct wire_stops),
    [WIRE_SLICE] = sizeof(struct wire_slice),
    [WIRE_RUN] = sizeof(struct wire_run),
    [WIRE_TRACED] = sizeof(struct wire_traced),
    [WIRE_LOCK_SLICE] = sizeof(struct wire_lock_slice),
    [WIRE_WAKE] = sizeof(struct wire_wake),
    [WIRE_WOKEN] = sizeof(struct wire_woken),
};

void *wire_room(struct wire_reader *reader, size_t *room)
{
    memmove(reader->bytes, (char *)reader->bytes + reader->begin, reader->end - reader->begin);
    reader->end -= reader->begin;
    reader->begin = 0;
    *room = sizeof(reader->bytes) - reader->end;
    return (char *)reader->bytes + reader->end;
}

void wire_filled(struct wire_reader *reader, size_t count)
{
    reader->end += count;
}

int wire_next(struct wire_reader *reader, const struct wire_head **record, struct refusal *why)
{
    const struct wire_head *head =
        (const void *)((const char *)reader->bytes + reader->begin); /* 8-byte aligned */
    size_t left = reader->end - reader->begin;

    if (left < sizeof(*head))
        return 0;
    if (head->kind >= sizeof(sizes) / sizeof(*sizes) || sizes[head->kind] == 0 ||
        head->size != sizes[head->kind])
        return refuse(why, EINVAL,
                      "unknown record from the plugin: kind %u, %u bytes (version %d is expected); "
                      "make outside",
                      head->kind, head->size, WIRE_VERSION);
    if (left < head->size)
        return 0;
    reader->begin += head->size;
    *record = head;
    return 1;
}
