/* SPDX-License-Identifier: BSD-2-Clause */
/* See locks.h. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "outside/pitot/array.h"
#include "outside/pitot/contexts.h"
#include "outside/pitot/locks.h"

#define STEPS_MOST 50000000
#define CALLERS    2 /* that tell places apart */

static struct wire_lock_order *orders; /* sorted by `from` */
static size_t order_count, order_room;
static uint64_t steps; /* of the search */

int lock_cycles_add(const struct wire_lock_order *order, struct refusal *why)
{
    int error = array_grow(&orders, &order_room, order_count + 1, sizeof(*orders), "orders", why);

    if (!error)
        orders[order_count++] = *order;
    return error;
}

/* --- The graph: locks, and orders from one to another --- */

static int compare(const void *a, const void *b)
{
    const struct wire_lock_order *left = a, *right = b;

    if (left->from != right->from)
        return left->from < right->from ? -1 : 1;
    return left->to < right->to ? -1 : left->to > right->to;
}

/* The first order from the lock, or from the next one that has any. */
static size_t first_of(uint32_t lock)
{
    return ARRAY_BELOW(orders, order_count, from, lock);
}

static bool leads_on(uint32_t lock)
{
    size_t first = first_of(lock);

    return first < order_count && orders[first].from == lock;
}

/* Drops orders to locks that none leads on from, again and again: they are in no cycle. */
static void trim(void)
{
    size_t kept = order_count, before;

    if (order_count > 0)
        qsort(orders, order_count, sizeof(*orders), compare);
    do {
        before = kept;
        for (size_t i = 0; i < order_count; i++)
            if (!leads_on(orders[i].to))
                orders[i].count = 0;
        kept = 0;
        for (size_t i = 0; i < order_count; i++)
            if (orders[i].count > 0)
                orders[kept++] = orders[i];
        order_count = kept;
    } while (kept < before);
}

/* --- Cycles --- */

static bool share_a_guard(const struct wire_lock_order *a, const struct wire_lock_order *b)
{
    for (uint32_t i = 0; i < a->guard_count; i++)
        for (uint32_t j = 0; j < b->guard_count; j++)
            if (a->guards[i] == b->guards[j])
                return true;
    return false;
}

/* True if each lock is still there once, and no two orders have a guard in common. */
static bool may_follow(const struct lock_cycle *path, const struct wire_lock_order *next)
{
    for (size_t i = 0; i < path->length; i++)
        if (share_a_guard(path->orders[i], next) || (i > 0 && path->orders[i]->from == next->to))
            return false;
    return true;
}

/* Lengthens the path to a cycle of `length` orders through locks above its first one's number. */
static bool close_cycle(struct lock_cycle *path, size_t length)
{
    uint32_t first = path->orders[0]->from, last = path->orders[path->length - 1]->to;

    for (size_t i = first_of(last); i < order_count && orders[i].from == last; i++) {
        const struct wire_lock_order *next = &orders[i];
        bool closes = next->to == first;

        if (closes != (path->length + 1 == length) || next->to < first || !may_follow(path, next))
            continue;
        if (steps == STEPS_MOST)
            return false;
        steps++;
        path->orders[path->length++] = next;
        if (closes || close_cycle(path, length))
            return true;
        path->length--;
    }
    return false;
}

bool lock_cycles_are_all(void)
{
    return steps < STEPS_MOST;
}

/* The same instruction, if it was called by the same code from the same code. */
static bool same_place(const struct wire_place *a, const struct wire_place *b)
{
    uint32_t left = a->context, right = b->context;

    for (unsigned i = 0; i < CALLERS && left && right; i++) {
        if (contexts_caller(left) != contexts_caller(right))
            return false;
        left = contexts_outer(left);
        right = contexts_outer(right);
    }
    return a->ip == b->ip;
}

/* True if the code of both is the same, perhaps with another order first. */
static bool is_alike(const struct lock_cycle *a, const struct lock_cycle *b)
{
    for (size_t turn = 0; a->length == b->length && turn < a->length; turn++) {
        bool same = true;

        for (size_t i = 0; same && i < a->length; i++) {
            const struct wire_lock_order *left = a->orders[i],
                                         *right = b->orders[(i + turn) % b->length];

            same =
                same_place(&left->outer, &right->outer) && same_place(&left->inner, &right->inner);
        }
        if (same)
            return true;
    }
    return false;
}

/* True if a shorter cycle has this order already: a longer one tells nothing new. */
static bool is_told(const struct lock_cycle *cycles, size_t count,
                    const struct wire_lock_order *order)
{
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < cycles[i].length; j++)
            if (cycles[i].orders[j] == order)
                return true;
    return false;
}

static int add(struct lock_cycle **cycles, size_t *room, size_t *count,
               const struct lock_cycle *cycle, struct refusal *why)
{
    int error;

    for (size_t i = 0; i < *count; i++)
        if (is_alike(&(*cycles)[i], cycle)) {
            (*cycles)[i].alike++;
            return 0;
        }
    error = array_grow(cycles, room, *count + 1, sizeof(**cycles), "cycles", why);
    if (!error)
        (*cycles)[(*count)++] = *cycle;
    return error;
}

int lock_cycles_find(struct lock_cycle **cycles, struct refusal *why)
{
    size_t room = 0, count = 0;

    *cycles = NULL;
    trim();
    for (size_t length = 2; length <= LOCK_CYCLE_MOST; length++)
        for (size_t i = 0; i < order_count; i++) {
            struct lock_cycle path = {.length = 1, .orders = {&orders[i]}};
            int error;

            if (orders[i].from >= orders[i].to || is_told(*cycles, count, &orders[i]) ||
                !close_cycle(&path, length))
                continue;
            error = add(cycles, &room, &count, &path, why);
            if (error)
                return error;
        }
    return (int)count;
}
