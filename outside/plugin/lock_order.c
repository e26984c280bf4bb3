/* SPDX-License-Identifier: BSD-2-Clause */
/* See held.h: the order of locks. */
#include "outside/plugin/held.h"

#include <stdlib.h>

#include "outside/plugin/tell.h"

#define ORDERS_MOST (1u << 20) /* a power of two */
#define ORDERS_FULL (ORDERS_MOST / 4 * 3)

/* A hash table with open addressing; count 0: free. */
static struct wire_lock_order *orders;
static uint32_t order_count;
static uint64_t without_room;

bool lock_order_begin(void)
{
    orders = calloc(ORDERS_MOST, sizeof(*orders)); /* pages take memory only once used */
    return orders;
}

static struct wire_lock_order *find(uint32_t from, uint32_t to)
{
    uint32_t at = (from * 0x9e3779b1u ^ to * 0x85ebca6bu) % ORDERS_MOST;

    while (orders[at].count && (orders[at].from != from || orders[at].to != to))
        at = (at + 1) % ORDERS_MOST;
    return &orders[at];
}

static bool is_held(uint32_t number, struct lock *const *held, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        if (held[i]->number == number)
            return true;
    return false;
}

static void guard_first(struct wire_lock_order *order, struct lock *const *held, unsigned count)
{
    order->guard_count = 0;
    for (unsigned i = 0; i < count; i++)
        if (held[i]->number != order->from)
            order->guards[order->guard_count++] = held[i]->number;
}

/* Keeps the guards that are held this time, too. True if there are fewer now. */
static bool guard_again(struct wire_lock_order *order, struct lock *const *held, unsigned count)
{
    unsigned kept = 0, before = order->guard_count;

    for (unsigned i = 0; i < before; i++)
        if (is_held(order->guards[i], held, count))
            order->guards[kept++] = order->guards[i];
    order->guard_count = kept;
    return kept < before;
}

void lock_order_add(uint32_t thread, struct lock *const *held, unsigned count, unsigned from,
                    struct lock *to, const struct wire_place *place)
{
    struct wire_lock_order *order = find(held[from]->number, to->number);
    bool first = order->count == 0;

    if (first && order_count == ORDERS_FULL) {
        without_room++;
        return;
    }
    if (first) {
        order_count++;
        *order = (struct wire_lock_order){
            .from = held[from]->number, .to = to->number, .thread = thread};
        guard_first(order, held, count);
        held[from]->ordered = to->ordered = true;
    }
    order->count++;
    order->several |= thread != order->thread;
    if (first || guard_again(order, held, count)) {
        order->outer = held[from]->by;
        order->inner = *place;
    }
}

static bool is_sound(const struct lock *lock)
{
    return lock->sound || !(lock->flags & WIRE_LOCK_SEEN);
}

void lock_order_tell(uint64_t *lost, const struct lock *locks)
{
    for (uint32_t i = 0; i < ORDERS_MOST && order_count > 0; i++)
        if (orders[i].count && is_sound(&locks[orders[i].from - 1]) &&
            is_sound(&locks[orders[i].to - 1]))
            tell_lock_order(&orders[i]);
    *lost = without_room;
}
