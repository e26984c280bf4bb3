/* SPDX-License-Identifier: BSD-2-Clause */
/* See race_text.h. */
#include "outside/pitot/race_text.h"

#include <inttypes.h>
#include <string.h>

#include "outside/pitot/race_rows.h"

#define COLUMN 40 /* where chains begin */

static const char *const titles[WIRE_RACE_KINDS] = {
    [WIRE_RACE_LOST] = "race, a value was lost",
    [WIRE_RACE_TORN] = "race, a value was torn",
    [WIRE_RACE_WRITES] = "race of two writes",
    [WIRE_RACE_READ] = "race of a read and a write",
};

static void print_side(FILE *file, const struct race_side *side)
{
    char value[32] = "";
    int printed;

    if (side->valued)
        snprintf(value, sizeof(value), " 0x%" PRIx64, side->value);
    printed = fprintf(file, "   CPU %u %s %u byte%s%s%s", side->cpu,
                      side->access == WIRE_READ ? "reads" : "writes", side->length,
                      side->length == 1 ? "" : "s", side->valued ? "," : "", value);
    fprintf(file, "%*s %s, in %s\n", printed < COLUMN ? COLUMN - printed : 0, "", side->chain,
            side->thread);
}

/* What the CPU that was stopped did next. */
static void print_then(FILE *file, const struct race_row *row)
{
    const struct race_side *own = &row->sides[0];
    bool lost = row->kind == WIRE_RACE_LOST;
    int printed;

    if (!*row->then)
        return;
    printed = fprintf(file, "   CPU %u then %s", own->cpu,
                      lost                       ? "overwrites that"
                      : own->access == WIRE_READ ? "reads the rest"
                                                 : "writes the rest");
    fprintf(file, "%*s %s\n", printed < COLUMN ? COLUMN - printed : 0, "", row->then);
}

static void print_row(FILE *file, const struct race_row *row)
{
    fprintf(file, "== %s: %s, %" PRIu64 " time%s\n", titles[row->kind], row->where, row->count,
            row->count == 1 ? "" : "s");
    print_side(file, &row->sides[0]);
    print_side(file, &row->sides[1]);
    print_then(file, row);
}

uint64_t race_print(FILE *file, uint64_t most)
{
    uint64_t groups = 0;
    size_t count = race_rows_count();

    for (size_t i = 0, next; i < count; i = next) {
        const struct race_row *first = race_rows_at(i);
        uint64_t times = 0;

        for (next = i + 1; next < count && race_rows_are_akin(first, race_rows_at(next)); next++)
            times += race_rows_at(next)->count;
        if (most && groups++ >= most)
            continue;
        groups += !most;
        print_row(file, first);
        if (next > i + 1)
            fprintf(file, "   %zu more pair%s of places in these functions, %" PRIu64 " time%s\n",
                    next - i - 1, next - i == 2 ? "" : "s", times, times == 1 ? "" : "s");
        fputc('\n', file);
    }
    return groups;
}
