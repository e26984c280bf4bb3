/* SPDX-License-Identifier: BSD-2-Clause */
/* See states.h. */
#include "tests/model/states.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A state without the unused part of its windows. */
#define PACKED_MAX (sizeof(struct state))

static uint8_t *bytes;
static size_t bytes_used, bytes_room;
static size_t *starts; /* one more than states */
static struct move *moves;
static uint32_t count, room;
static uint32_t *table; /* state numbers plus 1; 0: free */
static uint32_t table_size;

static void *grown(void *memory, size_t size)
{
    memory = realloc(memory, size);
    if (!memory) {
        fprintf(stderr, "the model has no memory for more states\n");
        exit(2);
    }
    return memory;
}

void states_copy(struct state *to, const struct state *from)
{
    memcpy(to, from, offsetof(struct state, window));
    for (unsigned side = 0; side < SIDES; side++)
        memcpy(&to->window[side], &from->window[side],
               offsetof(struct window, pending) +
                   from->window[side].count * sizeof(struct pending));
}

static size_t pack(const struct state *state, uint8_t *to)
{
    uint8_t *end = to + offsetof(struct state, window);

    memcpy(to, state, offsetof(struct state, window));
    for (unsigned side = 0; side < SIDES; side++) {
        const struct window *window = &state->window[side];
        size_t size = offsetof(struct window, pending) + window->count * sizeof(struct pending);

        memcpy(end, window, size);
        end += size;
    }
    return (size_t)(end - to);
}

void states_get(uint32_t number, struct state *state)
{
    const uint8_t *from = bytes + starts[number];

    memcpy(state, from, offsetof(struct state, window));
    from += offsetof(struct state, window);
    for (unsigned side = 0; side < SIDES; side++) {
        size_t size = offsetof(struct window, pending) + *from * sizeof(struct pending);

        memcpy(&state->window[side], from, size);
        from += size;
    }
}

static uint32_t hash(const uint8_t *packed, size_t size)
{
    uint64_t value = size, word;

    for (; size >= sizeof(word); packed += sizeof(word), size -= sizeof(word)) {
        memcpy(&word, packed, sizeof(word));
        value = (value ^ word) * 0x9e3779b97f4a7c15;
        value ^= value >> 32;
    }
    word = 0;
    memcpy(&word, packed, size);
    value = (value ^ word) * 0x9e3779b97f4a7c15;
    return (uint32_t)(value ^ value >> 32);
}

/* The state's place in the table, or where it would be. */
static uint32_t *find(const uint8_t *packed, size_t size)
{
    uint32_t at = hash(packed, size) & (table_size - 1);

    for (; table[at] != 0; at = (at + 1) & (table_size - 1)) {
        uint32_t number = table[at] - 1;

        if (starts[number + 1] - starts[number] == size &&
            memcmp(bytes + starts[number], packed, size) == 0)
            break;
    }
    return &table[at];
}

/* Doubles everything; at least half of the table remains free. */
static void grow(void)
{
    room = room ? 2 * room : 1u << 12;
    starts = grown(starts, (room + 1) * sizeof(*starts));
    moves = grown(moves, room * sizeof(*moves));
    table_size = 2 * room;
    table = grown(table, table_size * sizeof(*table));
    memset(table, 0, table_size * sizeof(*table));
    for (uint32_t i = 0; i < count; i++)
        *find(bytes + starts[i], starts[i + 1] - starts[i]) = i + 1;
}

void states_reset(void)
{
    count = room = 0; /* most histories are small, and clearing the table takes time */
    bytes_used = 0;
    grow();
    starts[0] = 0;
}

bool states_add(const struct state *state, const struct move *move)
{
    uint8_t packed[PACKED_MAX];
    size_t size = pack(state, packed);
    uint32_t *place;

    if (count == room)
        grow();
    place = find(packed, size);
    if (*place != 0)
        return false;
    if (bytes_used + size > bytes_room) {
        bytes_room = 2 * bytes_room + sizeof(packed);
        bytes = grown(bytes, bytes_room);
    }
    memcpy(bytes + bytes_used, packed, size);
    bytes_used += size;
    moves[count] = *move;
    starts[++count] = bytes_used;
    *place = count;
    return true;
}

uint32_t states_count(void)
{
    return count;
}

const struct move *states_move(uint32_t number)
{
    return &moves[number];
}
