/* SPDX-License-Identifier: BSD-2-Clause */
/* See nearest.h; and the nearest symbols, of symbols.h. */
#include "core/symbols/nearest.h"

#include <stdbool.h>

#include "core/lib/assert.h"
#include "core/lib/string.h"
#include "core/symbols/symbols.h"

#define NOT_NEAR     255 /* the name is not suggested */
#define RANK_BEGINS  1
#define RANK_HOLDS   2
#define PIECE_LENGTH 3 /* shorter pieces occur in too many names */

size_t distance_length(const char *name)
{
    size_t length = strlen(name);

    return length < DISTANCE_LENGTH_MAX ? length : DISTANCE_LENGTH_MAX;
}

static uint8_t least(uint8_t a, uint8_t b)
{
    return a < b ? a : b;
}

/* Row r: the distances from the first r characters of a to each prefix of b. Keeps three rows. */
uint8_t distance(const char *a, size_t a_length, const char *b, size_t b_length)
{
    uint8_t rows[3][DISTANCE_LENGTH_MAX + 1];
    uint8_t *before = rows[0], *previous = rows[1], *current = rows[2];

    assert(a_length <= DISTANCE_LENGTH_MAX && b_length <= DISTANCE_LENGTH_MAX);
    for (size_t column = 0; column <= b_length; column++)
        current[column] = (uint8_t)column;
    for (size_t row = 1; row <= a_length; row++) {
        uint8_t *oldest = before;
        before = previous;
        previous = current;
        current = oldest;
        current[0] = (uint8_t)row;
        for (size_t column = 1; column <= b_length; column++) {
            uint8_t replaced = previous[column - 1] + (a[row - 1] != b[column - 1]);
            uint8_t edited = least(previous[column], current[column - 1]) + 1;
            current[column] = least(replaced, edited);
            if (row > 1 && column > 1 && a[row - 1] == b[column - 2] && a[row - 2] == b[column - 1])
                current[column] = least(current[column], before[column - 2] + 1);
        }
    }
    return current[b_length];
}

static bool holds(const char *text, const char *piece, size_t piece_length)
{
    for (; *text != '\0'; text++)
        if (strncmp(text, piece, piece_length) == 0)
            return true;
    return false;
}

/*
 * The lowest ranks win: 1 for a name that begins with the whole wrong name, 2 for one that contains
 * it elsewhere, otherwise the number of typing errors.
 */
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

/* --- Symbols. --- */

static const char *symbol_name_at(const void *of, size_t index)
{
    struct symbol symbol;

    (void)of;
    return symbols_by_name(index, &symbol) ? symbol.name : NULL;
}

size_t symbols_suggest(const char *wrong, struct symbol *nearest, size_t most)
{
    size_t index[NEAREST_MOST], count = nearest_find(wrong, symbol_name_at, NULL, index, most);

    for (size_t i = 0; i < count; i++)
        symbols_by_name(index[i], &nearest[i]);
    return count;
}

static const char *table_name_at(const void *of, size_t index)
{
    struct symbol symbol;

    return symbol_table_by_name(of, index, &symbol) ? symbol.name : NULL;
}

size_t symbol_table_suggest(const struct symbol_table *table, const char *wrong,
                            struct symbol *nearest, size_t most)
{
    size_t index[NEAREST_MOST], count = nearest_find(wrong, table_name_at, table, index, most);

    for (size_t i = 0; i < count; i++)
        symbol_table_by_name(table, index[i], &nearest[i]);
    return count;
}
