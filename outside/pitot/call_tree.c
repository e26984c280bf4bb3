/* SPDX-License-Identifier: BSD-2-Clause */
/* See call_tree.h. */
#include "outside/pitot/call_tree.h"

#include <stdlib.h>

#include "core/symbols/symbols.h"
#include "outside/pitot/array.h"
#include "outside/pitot/contexts.h"

/* The nodes of a context; NULL: none. A root that runs in an interrupt handler has both. */
struct place {
    bool known;
    struct call_node *below_root, *below_interrupt;
};

static struct place *places; /* [context] */
static uint32_t *path;       /* contexts of one path, innermost first */
static size_t place_room, path_room;

uint64_t call_tree_function(uint32_t context)
{
    uint64_t ip = contexts_caller(context);
    struct symbol symbol;

    return symbols_find_address(ip, &symbol) ? symbol.address : ip;
}

static struct call_node *callee_of(struct call_node *caller, uint64_t function)
{
    struct call_node *node = caller->callees;

    while (node && node->function != function)
        node = node->next;
    if (node)
        return node;
    node = calloc(1, sizeof(*node));
    if (!node)
        return NULL;
    *node = (struct call_node){.function = function, .caller = caller, .next = caller->callees};
    caller->callees = node;
    return node;
}

static struct place place_in(struct call_tree *tree, uint32_t context, const struct place *outer)
{
    uint64_t function = call_tree_function(context);
    bool apart = contexts_by_interrupt(context);
    struct place place = {.known = true};

    if (apart && (outer->below_root || outer->below_interrupt))
        place.below_interrupt = callee_of(&tree->interrupts, function);
    else if (outer->below_interrupt)
        place.below_interrupt = callee_of(outer->below_interrupt, function);
    if (outer->below_root && !apart)
        place.below_root = callee_of(outer->below_root, function);
    else if (tree->is_root(function))
        place.below_root = callee_of(&tree->roots, function);
    return place;
}

/* Sets the places of the context and of all its outer ones, outermost first. */
static int find_place(struct call_tree *tree, uint32_t context, struct refusal *why)
{
    static const struct place nowhere;
    static const char what[] = "calling contexts";
    size_t depth = (size_t)contexts_depth(context), count = 0;
    int error = array_grow(&path, &path_room, depth, sizeof(*path), what, why);

    for (; !error && context && !(context < place_room && places[context].known);
         context = contexts_outer(context)) {
        error = array_grow(&places, &place_room, context + 1, sizeof(*places), what, why);
        path[count++] = context;
    }
    while (!error && count > 0) {
        uint32_t inner = path[--count], outer = contexts_outer(inner);

        places[inner] = place_in(tree, inner, outer ? &places[outer] : &nowhere);
    }
    return error;
}

static void add_to(struct call_node *node, const struct wire_cost *cost)
{
    if (!node)
        return;
    node->calls += cost->calls;
    node->self += cost->instructions;
    for (; node; node = node->caller)
        node->total += cost->instructions;
}

int call_tree_add(struct call_tree *tree, const struct wire_cost *cost, struct refusal *why)
{
    int error;

    if (contexts_depth(cost->context) < 1)
        return refuse(why, EINVAL, "the plugin's cost of context %u is invalid", cost->context);
    error = find_place(tree, cost->context, why);
    if (error)
        return error;
    add_to(places[cost->context].below_root, cost);
    add_to(places[cost->context].below_interrupt, cost);
    return 0;
}

/* By cost, then by address: the same order in each run. */
static int compare(const void *left, const void *right)
{
    const struct call_node *a = *(struct call_node *const *)left,
                           *b = *(struct call_node *const *)right;

    if (a->total != b->total)
        return a->total > b->total ? -1 : 1;
    return a->function < b->function ? -1 : 1;
}

struct call_node **call_tree_callees(const struct call_node *node, size_t *count)
{
    struct call_node **list;

    *count = 0;
    for (const struct call_node *callee = node->callees; callee; callee = callee->next)
        ++*count;
    list = *count ? calloc(*count, sizeof(*list)) : NULL;
    *count = 0;
    for (struct call_node *callee = node->callees; list && callee; callee = callee->next)
        list[(*count)++] = callee;
    if (list)
        qsort(list, *count, sizeof(struct call_node *), compare);
    return list;
}
