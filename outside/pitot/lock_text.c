/* SPDX-License-Identifier: BSD-2-Clause */
/* See locks.h. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "outside/pitot/array.h"
#include "outside/pitot/contexts.h"
#include "outside/pitot/elf_symbols.h"
#include "outside/pitot/locks.h"
#include "outside/pitot/name.h"

#define APART_MOST  4  /* locks of one variable that have rows of their own */
#define SPANS       12 /* where the longest wait and hold are told */
#define COLUMN      18 /* where the chains of a report begin */
#define MASKED_MOST 5  /* times that are told */

static const struct wire_lock *locks;
static size_t lock_count;

/* --- Names --- */

void lock_text_locks(const struct wire_lock *all, size_t count)
{
    locks = all;
    lock_count = count;
}

static const struct wire_lock *lock_of(uint32_t number)
{
    size_t at = ARRAY_BELOW(locks, lock_count, lock, number);

    return at < lock_count && locks[at].lock == number ? &locks[at] : NULL;
}

static uint64_t place_address(const struct wire_place *place)
{
    return place->ip        ? place->ip
           : place->context ? contexts_caller(place->context)
                            : NAME_NOT_KNOWN;
}

static void print_short_name(const struct wire_lock *lock)
{
    struct symbol variable;

    if (!elf_symbols_find_variable(lock->address, &variable))
        fprintf(stderr, "0x%" PRIx64, lock->address);
    else if (lock->address == variable.address)
        fprintf(stderr, "%s", variable.name);
    else
        fprintf(stderr, "%s+0x%" PRIx64, variable.name, lock->address - variable.address);
    if (lock->flags >> WIRE_LOCK_PART)
        fprintf(stderr, " bit %u", (lock->flags >> WIRE_LOCK_PART) - 1);
}

static void print_name(const struct wire_lock *lock)
{
    struct symbol variable;
    char name[NAME_ROOM];

    print_short_name(lock);
    if (!elf_symbols_find_variable(lock->address, &variable))
        fprintf(stderr, " (first taken at %s)", name_place(place_address(&lock->first), name));
}

/* --- The table --- */

/* Locks of one kind: of a variable, or first taken at one place. */
struct row {
    uint64_t key;
    size_t count;
    const struct wire_lock *first;
    uint64_t taken, contended, waited, held;
    struct wire_lock_span longest_wait, longest_hold;
};

static int compare_keys(const void *a, const void *b)
{
    const struct row *left = a, *right = b;

    if (left->key != right->key)
        return left->key < right->key ? -1 : 1;
    return left->first < right->first ? -1 : left->first > right->first;
}

static int compare_times(const void *a, const void *b)
{
    const struct row *left = a, *right = b;

    if (left->waited != right->waited)
        return left->waited > right->waited ? -1 : 1;
    if (left->held != right->held)
        return left->held > right->held ? -1 : 1;
    return left->first < right->first ? -1 : left->first > right->first;
}

static struct row row_of(const struct wire_lock *lock)
{
    struct symbol variable;

    return (struct row){.key = elf_symbols_find_variable(lock->address, &variable)
                                   ? variable.address
                                   : place_address(&lock->first),
                        .count = 1,
                        .first = lock,
                        .taken = lock->taken,
                        .contended = lock->contended,
                        .waited = lock->waited,
                        .held = lock->held,
                        .longest_wait = lock->longest_wait,
                        .longest_hold = lock->longest_hold};
}

static void merge(struct row *row, const struct row *other)
{
    row->count++;
    row->taken += other->taken;
    row->contended += other->contended;
    row->waited += other->waited;
    row->held += other->held;
    if (other->longest_wait.length > row->longest_wait.length)
        row->longest_wait = other->longest_wait;
    if (other->longest_hold.length > row->longest_hold.length)
        row->longest_hold = other->longest_hold;
}

/* Makes one row of each kind of which there are many. Returns how many there are then. */
static size_t join(struct row *rows, size_t count)
{
    size_t used = 0;

    for (size_t i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count && rows[end].key == rows[i].key;)
            end++;
        rows[used] = rows[i];
        for (size_t j = i + 1; j < end; j++)
            if (end - i > APART_MOST)
                merge(&rows[used], &rows[j]);
            else
                rows[++used] = rows[j];
        used++;
    }
    return used;
}

static void print_span(const char *what, const struct wire_lock_span *span)
{
    if (!span->length)
        return;
    fprintf(stderr, "%*s%s  ", SPANS, "", what);
    chain_print_line(stderr, span->place.ip, span->place.context);
    fprintf(stderr, "\n");
}

static void print_kind(const struct row *row)
{
    struct symbol variable;
    char name[NAME_ROOM];

    if (row->count == 1)
        print_name(row->first);
    else if (elf_symbols_find_variable(row->first->address, &variable))
        fprintf(stderr, "%s: %zu locks", variable.name, row->count);
    else
        fprintf(stderr, "%zu locks, first taken at %s", row->count, name_place(row->key, name));
}

static void print_row(const struct row *row)
{
    fprintf(stderr,
            "%10" PRIu64 " %11" PRIu64 " %9" PRIu64 " %9" PRIu64 " %11" PRIu64 " %9" PRIu64 "  ",
            row->contended, row->waited, row->longest_wait.length, row->taken, row->held,
            row->longest_hold.length);
    print_kind(row);
    if (row->first->flags & WIRE_LOCK_SEEN)
        fprintf(stderr, " [seen]");
    fprintf(stderr, "\n");
    print_span("max wait", &row->longest_wait);
    print_span("max hold", &row->longest_hold);
}

int lock_text_table(size_t most, struct refusal *why)
{
    struct row *rows = calloc(lock_count + 1, sizeof(*rows));
    size_t count;

    if (!rows)
        return refuse(why, ENOMEM, "out of memory");
    for (size_t i = 0; i < lock_count; i++)
        rows[i] = row_of(&locks[i]);
    qsort(rows, lock_count, sizeof(*rows), compare_keys);
    count = join(rows, lock_count);
    qsort(rows, count, sizeof(*rows), compare_times);
    fprintf(stderr, "#contended  total wait  max wait     taken  total hold  max hold  lock\n");
    for (size_t i = 0; i < count && i < most; i++)
        print_row(&rows[i]);
    if (count > most)
        fprintf(stderr, "# %zu more; -n shows them\n", count - most);
    free(rows);
    return 0;
}

/* --- What is wrong --- */

static void print_place(const char *what, const struct wire_place *place)
{
    fprintf(stderr, " %-*s", COLUMN - 1, what);
    chain_print_line(stderr, place->ip, place->context);
    fprintf(stderr, "\n");
}

/* A lock that is asked for may never have been taken. */
static void print_lock(uint32_t number, void (*print_as)(const struct wire_lock *lock))
{
    const struct wire_lock *lock = lock_of(number);

    if (lock)
        print_as(lock);
    else
        fprintf(stderr, "[never taken]");
}

static void print_order(const struct wire_lock_order *order)
{
    fprintf(stderr, "   ");
    print_lock(order->from, print_short_name);
    fprintf(stderr, ", then ");
    print_lock(order->to, print_short_name);
    fprintf(stderr, ": %" PRIu64 " time%s, by thread %u%s\n", order->count,
            order->count == 1 ? "" : "s", order->thread, order->several ? " and others" : "");
    print_place("holds since", &order->outer);
    print_place("asks at", &order->inner);
}

void lock_text_cycle(const struct lock_cycle *cycle)
{
    fprintf(stderr, "== lock order: ");
    for (size_t i = 0; i < cycle->length; i++) {
        fprintf(stderr, "%s", i == 0 ? "" : i + 1 == cycle->length ? " and " : ", ");
        print_lock(cycle->orders[i]->from, print_name);
    }
    fprintf(stderr, "\n");
    for (size_t i = 0; i < cycle->length; i++)
        print_order(cycle->orders[i]);
    if (cycle->alike)
        fprintf(stderr, "   the same of %zu other%s, by the same code\n", cycle->alike,
                cycle->alike == 1 ? "" : "s");
    fprintf(stderr, "\n");
}

static bool is_same(const struct wire_place *a, const struct wire_place *b)
{
    return a->ip == b->ip && a->context == b->context;
}

void lock_text_inversion(const struct wire_lock *lock)
{
    fprintf(stderr, "== interrupt inversion: ");
    print_name(lock);
    fprintf(stderr,
            ": held with interrupts on %" PRIu64 " time%s, taken by a handler %" PRIu64 " time%s\n",
            lock->open.count, lock->open.count == 1 ? "" : "s", lock->handler.count,
            lock->handler.count == 1 ? "" : "s");
    print_place("holds since", &lock->open.taken);
    if (!is_same(&lock->open.taken, &lock->open.at))
        print_place("turns them on", &lock->open.at);
    print_place("handler takes", &lock->handler.at);
    fprintf(stderr, "\n");
}

void lock_text_moment(const struct wire_lock *lock, const struct wire_lock_moment *moment,
                      const char *title, const char *what)
{
    fprintf(stderr, "== %s: ", title);
    print_name(lock);
    fprintf(stderr, ", %" PRIu64 " time%s\n", moment->count, moment->count == 1 ? "" : "s");
    print_place("holds since", &moment->taken);
    print_place(what, &moment->at);
    fprintf(stderr, "\n");
}

void lock_text_held(const struct wire_lock *lock, const struct wire_lock_wait *waits, size_t count)
{
    fprintf(stderr, "== held at the end: ");
    print_name(lock);
    fprintf(stderr, ", by thread %u\n", lock->holder);
    print_place("holds since", &lock->by);
    for (size_t i = 0; i < count; i++) {
        if (waits[i].lock != lock->lock)
            continue;
        print_place(waits[i].thread == lock->holder ? "waits itself" : "waits", &waits[i].place);
        fprintf(stderr, "%*sthread %u, for %" PRIu64 " instructions of CPU %u\n", COLUMN, "",
                waits[i].thread, waits[i].length, waits[i].head.cpu);
    }
    fprintf(stderr, "\n");
}

void lock_text_masked(const struct wire_masked *times, size_t count)
{
    if (count == 0)
        return;
    fprintf(stderr, "# interrupts off: the longest times, in instructions\n");
    for (size_t i = 0; i < count && i < MASKED_MOST; i++) {
        fprintf(stderr, "%12" PRIu64 "  from ", times[i].longest);
        chain_print_line(stderr, times[i].off.ip, times[i].off.context);
        fprintf(stderr, "\n%12s  to   ", "");
        chain_print_line(stderr, times[i].on.ip, times[i].on.context);
        fprintf(stderr, "\n");
    }
}
