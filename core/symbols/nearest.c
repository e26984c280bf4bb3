/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * See nearest.h. The lowest ranks win: 1 for a name that begins with the whole wrong name, 2 for
 * one that contains it elsewhere, otherwise the number of typing errors.
 */
#include "core/symbols/nearest.h"

#include <stdbool.h>

#include "core/lib/string.h"
#include "core/symbols/distance.h"

#define NOT_NEAR     255 /* the name is not suggested */
#define RANK_BEGINS  1
#define RANK_HOLDS   2
#define PIECE_LENGTH 3 /* shorter pieces occur in too many names */

static bool holds(const char *text, const char *piece, size_t piece_length)
{
    for (; *text != '\0'; text++)
        if (strncmp(text, piece, piece_length) == 0)
            return true;
    return false;
}

static uint8_t rank_of(const char *wrong, size_t wrong_length, const char *name)
{
    size_t name_length = distance_length(name);
    size_t longer = name_length > wrong_length ? name_length : wrong_length;
    size_t shorter = name_length > wrong_length ? wrong_length : name_length;
    uint8_t limit = (uint8_t)(wrong_length / 3 + 1), rank = NOT_NEAR;

    if (longer - shorter <= limit) {
        rank = distance(wrong, wrong_length, name, name_length);
        if (rank > limit || rank == longer)
            rank = NOT_NEAR;
    }
    if (wrong_length < PIECE_LENGTH)
        return rank;
    if (rank > RANK_BEGINS && strncmp(name, wrong, wrong_length) == 0)
        return RANK_BEGINS;
    if (rank > RANK_HOLDS && holds(name, wrong, wrong_length))
        return RANK_HOLDS;
    return rank;
}

size_t nearest_find(const char *wrong, nearest_name_at *name_at, const void *of, size_t *nearest,
                    size_t most)
{
    uint8_t ranks[NEAREST_MOST];
    size_t wrong_length = distance_length(wrong), count = 0;
    const char *name, *last_name = "";

    if (most > NEAREST_MOST)
        most = NEAREST_MOST;
    for (size_t i = 0; (name = name_at(of, i)) != NULL; i++) {
        uint8_t rank = rank_of(wrong, wrong_length, name);
        bool again = strcmp(name, last_name) == 0;
        last_name = name;
        if (rank == NOT_NEAR || again)
            continue;

        size_t place = count;
        while (place > 0 && ranks[place - 1] > rank)
            place--;
        if (place == most)
            continue;
        if (count < most)
            count++;
        for (size_t k = count - 1; k > place; k--) {
            nearest[k] = nearest[k - 1];
            ranks[k] = ranks[k - 1];
        }
        nearest[place] = i;
        ranks[place] = rank;
    }
    return count;
}
