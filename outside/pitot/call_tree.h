/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The tree of function calls and their costs. Calls of a function by the same chain of callers are
 * merged. A context here is a path of functions. Called by outside/pitot/graph.c.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/lib/refusal.h"
#include "outside/wire.h"

struct call_node {
    uint64_t function; /* address of its first instruction */
    uint64_t calls;
    uint64_t self, total; /* instructions: without and with its callees */
    struct call_node *caller, *callees, *next;
};

struct call_tree {
    bool (*is_root)(uint64_t function);
    struct call_node roots; /* its callees: the outermost functions that satisfy is_root */
    /*
     * Its callees: interrupt handlers that began while a root or its callees ran. They are not part
     * of the root's cost, so they and their callees may be roots, too.
     */
    struct call_node interrupts;
};

/* Returns the address of the first instruction of the context's function. */
uint64_t call_tree_function(uint32_t context);

int call_tree_add(struct call_tree *tree, const struct wire_cost *cost, struct refusal *why);

/*
 * Returns an array of *count callees, most expensive first, which the caller frees; NULL: none, or
 * no memory.
 */
struct call_node **call_tree_callees(const struct call_node *node, size_t *count);
