/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The accesses that a CPU has issued and memory has not yet performed, and the orders in which
 * memory may perform them. Two models:
 *
 *     ORDER_TSO   x86: loads are performed when they are issued; stores wait in order, and the
 *                 side's own loads see them there (Intel SDM vol. 3, "Memory Ordering").
 *     ORDER_WEAK  loads and stores are performed in any order, except those of one location and
 *                 those that a lettered barrier orders. Dependences of addresses, values or
 *                 branches order nothing: a load may return what will be stored only later.
 *
 * There is one memory: both sides see what it has performed.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "tests/model/memory.h"
#include "tests/model/transcript.h"

enum order_model { ORDER_TSO, ORDER_WEAK };

struct order {
    enum order_model model;
    unsigned removed; /* a bit for each letter whose barrier is removed */
};

/* For a load, `value` is the answer that it was given and that must still come true. */
struct pending {
    uint8_t step; /* STEP_LOAD, STEP_STORE, STEP_ORDER */
    uint8_t letter;
    uint8_t location;
    uint8_t value;
};

#define WINDOW_MAX 64

/* In the order of the program. */
struct window {
    uint8_t count;
    struct pending pending[WINDOW_MAX];
};

bool order_holds(const struct order *order, enum letter letter);

/* True for each operation of the window that may be performed now. */
void order_ready(const struct order *order, const struct window *window, bool ready[WINDOW_MAX]);

/* True if a load that follows the window may be performed now. */
bool order_load_ready(const struct order *order, const struct window *window, unsigned location);

/* The newest pending store to the location, which this side's own loads return; NULL. */
const struct pending *order_own_store(const struct window *window, unsigned location);

void order_append(struct window *window, struct pending pending);
void order_remove(struct window *window, unsigned index);

/* Removes barriers that no longer order anything. */
void order_tidy(const struct order *order, struct window *window);
