/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * `pitot graph` of command.h: merges all invocations of functions, and prints them in the layout of
 * ftrace's function_graph, or writes a page with a flame graph. A function's numbers are on its
 * first line, because all calls have ended; callees are sorted by cost, because the order of calls
 * differs between invocations.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "outside/pitot/array.h"
#include "outside/pitot/command.h"
#include "outside/pitot/contexts.h"
#include "outside/pitot/name.h"
#include "outside/pitot/plain.h"
#include "outside/pitot/question.h"

#define PAGE_DEFAULT "graph.html"
#define ASKED_ROOM   256
#define CALL         "call:"
#define THREADS      "all" /* costs are not kept by thread */
#define COLUMNS      62    /* width of the numbers */

/*
 * Calls of a function by the same chain of callers are merged. A context here is a path of
 * functions.
 */
struct call_node {
    uint64_t function; /* address of its first instruction */
    uint64_t calls;
    uint64_t self, total; /* instructions: without and with its callees */
    struct call_node *caller, *callees, *next;
};

static struct {
    struct call_node roots; /* its callees: the outermost functions that are asked for */
    /*
     * Its callees: interrupt handlers that began while a root or its callees ran. They are not part
     * of the root's cost, so they and their callees may be roots, too.
     */
    struct call_node interrupts;
} tree;

static const struct events *asked; /* the call events of the functions on the command line */
static uint64_t calls[EVENTS_MOST];
static uint64_t slide; /* the kernel's run-time address minus its link address */
static bool cut;       /* deeper calls were omitted */
static FILE *out;

static bool is_of(const struct event *event, uint64_t function)
{
    for (size_t i = 0; i < event->entry_count; i++)
        if (event->entries[i] + slide == function)
            return true;
    return false;
}

static bool is_asked(uint64_t function)
{
    for (unsigned i = 0; i < asked->count; i++)
        if (is_of(&asked->event[i], function))
            return true;
    return false;
}

/* --- The tree --- */

/* The nodes of a context; NULL: none. A root that runs in an interrupt handler has both. */
struct context_nodes {
    bool known;
    struct call_node *below_root, *below_interrupt;
};

static struct context_nodes *nodes; /* [context] */
static uint32_t *path;              /* contexts of one path, innermost first */
static size_t node_room, path_room;

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

static struct context_nodes nodes_in(uint32_t context, const struct context_nodes *outer)
{
    uint64_t function = contexts_function(context);
    bool apart = contexts_by_interrupt(context);
    struct context_nodes found = {.known = true};

    if (apart && (outer->below_root || outer->below_interrupt))
        found.below_interrupt = callee_of(&tree.interrupts, function);
    else if (outer->below_interrupt)
        found.below_interrupt = callee_of(outer->below_interrupt, function);
    if (outer->below_root && !apart)
        found.below_root = callee_of(outer->below_root, function);
    else if (is_asked(function))
        found.below_root = callee_of(&tree.roots, function);
    return found;
}

/* Sets the nodes of the context and of all its outer ones, outermost first. */
static int find_nodes(uint32_t context, struct refusal *why)
{
    static const struct context_nodes nowhere;
    static const char what[] = "calling contexts";
    size_t depth = (size_t)contexts_depth(context), count = 0;
    int error = array_grow(&path, &path_room, depth, sizeof(*path), what, why);

    for (; !error && context && !(context < node_room && nodes[context].known);
         context = contexts_outer(context)) {
        error = array_grow(&nodes, &node_room, context + 1, sizeof(*nodes), what, why);
        path[count++] = context;
    }
    while (!error && count > 0) {
        uint32_t inner = path[--count], outer = contexts_outer(inner);

        nodes[inner] = nodes_in(inner, outer ? &nodes[outer] : &nowhere);
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

static int add_cost(const struct wire_cost *cost, struct refusal *why)
{
    int error;

    if (contexts_depth(cost->context) < 1)
        return refuse(why, EINVAL, "the plugin's cost of context %u is invalid", cost->context);
    error = find_nodes(cost->context, why);
    if (error)
        return error;
    add_to(nodes[cost->context].below_root, cost);
    add_to(nodes[cost->context].below_interrupt, cost);
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

/*
 * Returns an array of *count callees, most expensive first, which the caller frees; NULL: none, or
 * no memory.
 */
static struct call_node **callees_by_cost(const struct call_node *node, size_t *count)
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

/* --- The command --- */

static int take(const struct wire_head *record, struct refusal *why)
{
    const struct wire_cost *cost = (const void *)record;
    int error = record->kind == WIRE_COST ? add_cost(cost, why) : 0;

    if (record->kind == WIRE_SLIDE)
        slide = ((const struct wire_number *)record)->number;
    if (error || record->kind != WIRE_COST)
        return error;
    for (unsigned i = 0; i < asked->count; i++)
        if (is_of(&asked->event[i], contexts_function(cost->context)))
            calls[i] += cost->calls;
    return 0;
}

static void print_node(const struct call_node *node, const char *ends, int indent)
{
    char name[NAME_ROOM];

    question_function(node->function);
    fprintf(out, "%10llu %18llu %16llu %14llu  |  %*s%s()%s\n", (unsigned long long)node->calls,
            (unsigned long long)node->total,
            (unsigned long long)(node->calls ? node->total / node->calls : node->total),
            (unsigned long long)node->self, indent, "", name_function(node->function, name), ends);
}

/* `left`: levels to print, including this one. */
static void print_calls(const struct call_node *node, int indent, uint64_t left)
{
    size_t count;
    struct call_node **callees = callees_by_cost(node, &count);

    if (count == 0) {
        print_node(node, ";", indent);
    } else if (left == 1) {
        print_node(node, " { ... }", indent);
        cut = true;
    } else {
        print_node(node, " {", indent);
        for (size_t i = 0; i < count; i++)
            print_calls(callees[i], indent + 2, left - 1);
        fprintf(out, "%*s|  %*s}\n", COLUMNS + 1, "", indent, "");
    }
    free(callees);
}

static void print_all(const struct call_node *of, uint64_t depth)
{
    size_t count;
    struct call_node **callees = callees_by_cost(of, &count);

    for (size_t i = 0; i < count; i++)
        print_calls(callees[i], 0, depth);
    free(callees);
}

static void print_graph(uint64_t depth)
{
    fprintf(out, "#    calls       instructions             each           self  |  FUNCTION "
                 "CALLS\n");
    print_all(&tree.roots, depth);
    if (tree.interrupts.callees) {
        fprintf(out, "# interrupts meanwhile, not in the costs above\n");
        fprintf(out, "%*s\n", COLUMNS + 2, "==========> |");
        print_all(&tree.interrupts, depth);
        fprintf(out, "%*s\n", COLUMNS + 2, "<========== |");
    }
    if (cut)
        fprintf(out, "# { ... }: deeper calls are in its cost; --depth shows more\n");
}

static void tell_missing(const struct watch *watch)
{
    for (unsigned i = 0; i < asked->count; i++) {
        const char *name = asked->event[i].name + strlen(CALL);

        if (calls[i] > 0)
            continue;
        if (watch->hits[i] == 0)
            plain_tell("pitot: %s never ran", name);
        else
            plain_tell("pitot: %s was not called; code reached by a jump or syscall has no graph",
                       name);
    }
}

/* --- A page --- */

/* Adds all functions below a node. Not by recursion: a runaway kernel calls deeper than a stack. */
static void add_callees(struct profile *profile, const char *event, const struct call_node *below)
{
    const struct call_node *node = below->callees;
    uint32_t caller = PROFILE_ROOT, function;
    char name[NAME_ROOM];

    while (node) {
        function = profile_callee(profile, caller, name_function(node->function, name));
        profile_count(profile, event, THREADS, function, node->self, node->calls);
        if (node->callees) {
            caller = function;
            node = node->callees;
            continue;
        }
        for (; node != below && !node->next; node = node->caller)
            caller = profile_node(profile, caller)->parent;
        node = node == below ? NULL : node->next;
    }
}

static int write_page(struct refusal *why)
{
    struct profile profile = {0};
    char text[ASKED_ROOM] = "";

    for (unsigned i = 0; i < asked->count; i++)
        snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s", i ? " " : "",
                 asked->event[i].name + strlen(CALL));
    add_callees(&profile, "instructions", &tree.roots);
    add_callees(&profile, "instructions in interrupts meanwhile", &tree.interrupts);
    return question_write("graph", text, &profile, "calls", why);
}

int command_graph(const struct command *command, struct watch *watch, struct refusal *why)
{
    const struct pitot_options *options = command->options;
    int error = 0;

    asked = watch->events;
    watch->request.chains = watch->request.graph = true;
    watch->take = take;
    if (options->html)
        error = question_open(watch->kernel, NULL, options->output ? options->output : PAGE_DEFAULT,
                              why);
    out = question_out(stderr);
    if (!error)
        error = watch_run(watch, why);
    if (!error && tree.roots.callees)
        print_graph(options->depth);
    if (!error && tree.roots.callees && options->html)
        error = write_page(why);
    question_drop();
    if (error)
        return error;
    if (watch_ran(watch))
        tell_missing(watch);
    watch_tell_losses(watch);
    return 0;
}
