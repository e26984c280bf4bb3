/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What functions call, and what each cost: the costs of contexts, with all calls of one function by
 * another below the same callers taken together. Contexts are paths of functions. Called by
 * outside/pitot/graph.c.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/lib/refusal.h"
#include "outside/wire.h"

struct call_node {
    uint64_t function; /* where it begins */
    uint64_t calls;
    uint64_t self, total; /* instructions: its own; and those of what it called, too */
    struct call_node *caller, *callees, *next;
};

struct call_tree {
    bool (*is_root)(uint64_t function);
    struct call_node roots; /* its callees: functions that is_root says, below none of them */
    /*
     * Its callees: handlers of the interrupts that came while something below a root ran. They are
     * no part of its cost, so they and what they call may be roots, too.
     */
    struct call_node interrupts;
};

/* Where the function begins that a context of a path of functions is of. */
uint64_t call_tree_function(uint32_t context);

/* 0, or a negative errno and the reason. */
int call_tree_add(struct call_tree *tree, const struct wire_cost *cost, struct refusal *why);

/*
 * The callees, the most expensive ones first, *count of them, to be freed; NULL: none, or no
 * memory.
 */
struct call_node **call_tree_callees(const struct call_node *node, size_t *count);
