/* SPDX-License-Identifier: BSD-2-Clause */
/* See order.h. */
#include "tests/model/order.h"

#include <stdio.h>
#include <stdlib.h>

/* The operations before a place in the window, as far as they can hold back the ones after it. */
struct before {
    unsigned locations; /* a bit for each location with a pending operation */
    bool loads, stores;
    bool barrier_of_stores; /* with stores before it */
    bool barrier_of_loads;  /* with loads before it */
};

bool order_holds(const struct order *order, enum letter letter)
{
    return letter != LETTER_NONE && !(order->removed & 1u << letter);
}

static bool is_ready(const struct order *order, const struct before *before,
                     const struct pending *pending)
{
    bool store = pending->step == STEP_STORE;

    if (order->model == ORDER_TSO)
        return !store || !before->stores;
    if (before->locations & 1u << pending->location)
        return false;
    if (!store)
        return !before->barrier_of_loads;
    if (order_holds(order, (enum letter)pending->letter) && (before->loads || before->stores))
        return false;
    return !before->barrier_of_stores;
}

static void go_past(const struct order *order, struct before *before, const struct pending *pending)
{
    if (pending->step == STEP_ORDER) {
        if (!order_holds(order, (enum letter)pending->letter))
            return;
        before->barrier_of_stores |= pending->letter == LETTER_A_WRITER && before->stores;
        before->barrier_of_loads |= pending->letter == LETTER_A_READER && before->loads;
        return;
    }
    before->locations |= 1u << pending->location;
    before->loads |= pending->step == STEP_LOAD;
    before->stores |= pending->step == STEP_STORE;
}

void order_ready(const struct order *order, const struct window *window, bool ready[WINDOW_MAX])
{
    struct before before = {0};

    for (unsigned i = 0; i < window->count; i++) {
        const struct pending *pending = &window->pending[i];

        ready[i] = pending->step != STEP_ORDER && is_ready(order, &before, pending);
        go_past(order, &before, pending);
    }
}

bool order_load_ready(const struct order *order, const struct window *window, unsigned location)
{
    struct pending load = {.step = STEP_LOAD, .location = (uint8_t)location};
    struct before before = {0};

    for (unsigned i = 0; i < window->count; i++)
        go_past(order, &before, &window->pending[i]);
    return is_ready(order, &before, &load);
}

const struct pending *order_own_store(const struct window *window, unsigned location)
{
    for (unsigned i = window->count; i-- > 0;)
        if (window->pending[i].step == STEP_STORE && window->pending[i].location == location)
            return &window->pending[i];
    return NULL;
}

void order_append(struct window *window, struct pending pending)
{
    if (window->count == WINDOW_MAX) {
        fprintf(stderr, "the model has no room for more pending operations\n");
        exit(2);
    }
    window->pending[window->count++] = pending;
}

void order_remove(struct window *window, unsigned index)
{
    window->count--;
    for (unsigned i = index; i < window->count; i++)
        window->pending[i] = window->pending[i + 1];
}

void order_tidy(const struct order *order, struct window *window)
{
    struct before before = {0};

    for (unsigned i = 0; i < window->count;) {
        const struct pending *pending = &window->pending[i];
        bool idle =
            pending->step == STEP_ORDER &&
            (order->model == ORDER_TSO || !order_holds(order, (enum letter)pending->letter) ||
             !(pending->letter == LETTER_A_WRITER ? before.stores : before.loads));

        if (idle) {
            order_remove(window, i);
            continue;
        }
        go_past(order, &before, pending);
        i++;
    }
}
