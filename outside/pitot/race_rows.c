/* SPDX-License-Identifier: BSD-2-Clause */
/* See race.h. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "outside/pitot/array.h"
#include "outside/pitot/contexts.h"
#include "outside/pitot/elf_symbols.h"
#include "outside/pitot/name.h"
#include "outside/pitot/race.h"
#include "outside/pitot/suppressions.h"

static struct row {
    struct race_row row;
    const struct race_row *worst; /* of those that are akin; set by race_rows_sort */
} * rows;
static size_t count, room;
static uint64_t suppressed; /* races */

/* --- Names --- */

static char *name_chain(uint64_t ip, uint32_t context)
{
    char *chain = NULL;
    size_t size;
    FILE *text = open_memstream(&chain, &size);

    if (!text)
        return NULL;
    chain_print_line(text, ip, context);
    return fclose(text) == 0 ? chain : NULL;
}

static char *name_thread(uint32_t thread)
{
    char *name;

    return asprintf(&name, "%s-%u", threads_name(thread), thread + KERNEL_TID) < 0 ? NULL : name;
}

static char *name_memory(uint64_t address)
{
    struct symbol symbol;
    char *name;
    int length;

    if (elf_symbols_find_variable(address, &symbol))
        length = asprintf(&name, "%s+0x%" PRIx64, symbol.name, address - (uint64_t)symbol.address);
    else
        length = asprintf(&name, "0x%" PRIx64, address);
    return length < 0 ? NULL : name;
}

static char *name_then(uint64_t ip)
{
    char name[NAME_ROOM];

    return strdup(ip ? name_place(ip, name) : "");
}

static bool is_suppressed(const struct wire_race *race)
{
    return suppressions_match(race->sides[0].ip, race->sides[0].context) ||
           suppressions_match(race->sides[1].ip, race->sides[1].context);
}

static bool is_valid(const struct wire_race *race)
{
    for (unsigned i = 0; i < 2; i++)
        if (contexts_depth(race->sides[i].context) < 0 || race->sides[i].access < WIRE_READ ||
            race->sides[i].access > WIRE_WRITE)
            return false;
    return race->kind < WIRE_RACE_KINDS;
}

static int add(const struct wire_race *race, struct refusal *why)
{
    struct race_row row = {.kind = race->kind,
                           .count = race->count,
                           .where = name_memory(race->sides[0].address),
                           .then = name_then(race->then)};

    for (unsigned i = 0; i < 2; i++) {
        const struct wire_race_side *side = &race->sides[i];

        row.sides[i] = (struct race_side){.cpu = side->cpu,
                                          .access = side->access,
                                          .length = side->length,
                                          .valued = side->valued != 0,
                                          .value = side->value,
                                          .thread = name_thread(side->thread),
                                          .chain = name_chain(side->ip, side->context)};
        if (!row.sides[i].thread || !row.sides[i].chain)
            return refuse(why, ENOMEM, "out of memory");
    }
    if (!row.where || !row.then)
        return refuse(why, ENOMEM, "out of memory");
    return race_rows_merge(&row, why);
}

int race_rows_add(const struct wire_race *race, struct refusal *why)
{
    if (!is_valid(race))
        return refuse(why, EINVAL, "the plugin's race of kind %u is invalid", race->kind);
    if (!is_suppressed(race))
        return add(race, why);
    suppressed++;
    return 0;
}

uint64_t race_rows_suppressed(void)
{
    return suppressed;
}

/* --- Rows of the same places --- */

/* The first place of a chain. */
static size_t place_length(const char *chain)
{
    const char *end = strstr(chain, " < ");

    return end ? (size_t)(end - chain) : strlen(chain);
}

/* A place without its offset. */
static size_t name_length(const char *place, size_t length)
{
    while (length > 0 && place[length] != '+')
        length--;
    return length ? length : place_length(place);
}

static bool is_same_text(const char *a, size_t a_length, const char *b, size_t b_length)
{
    return a_length == b_length && memcmp(a, b, a_length) == 0;
}

static bool is_same_place(const struct race_side *a, const struct race_side *b)
{
    return a->access == b->access &&
           is_same_text(a->chain, place_length(a->chain), b->chain, place_length(b->chain));
}

static bool is_same_function(const struct race_side *a, const struct race_side *b)
{
    return is_same_text(a->chain, name_length(a->chain, place_length(a->chain)), b->chain,
                        name_length(b->chain, place_length(b->chain)));
}

/* True if the sides of `a` are like those of `b`, in any order. */
static bool are_alike(const struct race_row *a, const struct race_row *b,
                      bool (*alike)(const struct race_side *a, const struct race_side *b))
{
    const struct race_side *x = a->sides, *y = b->sides;

    return (alike(&x[0], &y[0]) && alike(&x[1], &y[1])) ||
           (alike(&x[0], &y[1]) && alike(&x[1], &y[0]));
}

static bool is_variable(const char *where)
{
    return strncmp(where, "0x", 2) != 0;
}

bool race_rows_are_akin(const struct race_row *a, const struct race_row *b)
{
    if (is_variable(a->where) != is_variable(b->where) ||
        (is_variable(a->where) && !is_same_text(a->where, name_length(a->where, strlen(a->where)),
                                                b->where, name_length(b->where, strlen(b->where)))))
        return false;
    return are_alike(a, b, is_same_function);
}

int race_rows_merge(const struct race_row *row, struct refusal *why)
{
    int error;

    for (size_t i = 0; i < count; i++) {
        struct race_row *known = &rows[i].row;
        uint64_t all = known->count + row->count;

        if (!are_alike(known, row, is_same_place))
            continue;
        if (row->kind < known->kind)
            *known = *row;
        known->count = all;
        return 0;
    }
    error = array_grow(&rows, &room, count + 1, sizeof(*rows), "races", why);
    if (!error)
        rows[count++].row = *row;
    return error;
}

static int compare_rows(const struct race_row *a, const struct race_row *b)
{
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    if (a->count != b->count)
        return a->count > b->count ? -1 : 1;
    return strcmp(a->sides[0].chain, b->sides[0].chain);
}

static int compare(const void *left, const void *right)
{
    const struct row *a = left, *b = right;

    if (a->worst != b->worst)
        return compare_rows(a->worst, b->worst);
    return compare_rows(&a->row, &b->row);
}

/* The rows are moved by the sort: what `worst` points at is not. */
void race_rows_sort(void)
{
    struct race_row *copies = count ? calloc(count, sizeof(*copies)) : NULL;

    for (size_t i = 0; copies && i < count; i++)
        copies[i] = rows[i].row;
    for (size_t i = 0; copies && i < count; i++) {
        rows[i].worst = &copies[i];
        for (size_t j = 0; j < count; j++)
            if (race_rows_are_akin(&copies[i], &copies[j]) &&
                compare_rows(&copies[j], rows[i].worst) < 0)
                rows[i].worst = &copies[j];
    }
    if (copies)
        qsort(rows, count, sizeof(*rows), compare);
    free(copies);
}

size_t race_rows_count(void)
{
    return count;
}

const struct race_row *race_rows_at(size_t index)
{
    return &rows[index].row;
}
