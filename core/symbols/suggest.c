/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * "No such symbol; near: ...": the names that may have been meant. Called by code that refuses a
 * name; task context, some hundred bytes of stack.
 *
 * Every name gets a rank, and the lowest win: a name that begins with the whole wrong one costs as
 * much as one typing error, one that holds it somewhere in the middle as much as two, and any other
 * what its typing errors are.
 */
#include "core/lib/assert.h"
#include "core/lib/string.h"
#include "core/symbols/symbols.h"

#define LENGTH_MAX   64  /* of what is compared; a longer name is compared by its beginning */
#define SUGGEST_MAX  16  /* names, however many are asked for */
#define NOT_NEAR     255 /* no rank */
#define RANK_BEGINS  1
#define RANK_HOLDS   2
#define PIECE_LENGTH 3 /* shorter pieces are in every other name */

static size_t bounded_length(const char *text)
{
    size_t length = strlen(text);

    return length < LENGTH_MAX ? length : LENGTH_MAX;
}

static uint8_t least(uint8_t a, uint8_t b)
{
    return a < b ? a : b;
}

/*
 * How many characters were inserted, left out, replaced or swapped with their neighbour (Damerau
 * and Levenshtein's distance, no place edited twice). Row r of the matrix holds the distances of
 * the first r characters of a to each beginning of b; three rows are enough.
 */
static uint8_t distance(const char *a, size_t a_length, const char *b, size_t b_length)
{
    uint8_t rows[3][LENGTH_MAX + 1];
    uint8_t *before = rows[0], *previous = rows[1], *current = rows[2];

    assert(a_length <= LENGTH_MAX && b_length <= LENGTH_MAX);
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
    for (; *text != '\0'; text++) {
        if (strncmp(text, piece, piece_length) == 0)
            return true;
    }
    return false;
}

static uint8_t rank_of(const char *wrong, size_t wrong_length, const char *name)
{
    size_t name_length = bounded_length(name);
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
    if (strncmp(name, wrong, wrong_length) == 0)
        return least(rank, RANK_BEGINS);
    if (holds(name, wrong, wrong_length))
        return least(rank, RANK_HOLDS);
    return rank;
}

size_t symbols_suggest(const char *wrong, struct symbol *nearest, size_t most)
{
    uint8_t ranks[SUGGEST_MAX];
    size_t wrong_length = bounded_length(wrong), count = 0;
    const char *last_name = "";
    struct symbol symbol;

    if (most > SUGGEST_MAX)
        most = SUGGEST_MAX;
    for (size_t i = 0; symbols_by_name(i, &symbol); i++) {
        uint8_t rank = rank_of(wrong, wrong_length, symbol.name);
        bool again = strcmp(symbol.name, last_name) == 0;
        last_name = symbol.name;
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
        nearest[place] = symbol;
        ranks[place] = rank;
    }
    return count;
}
