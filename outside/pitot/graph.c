/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * `pitot graph` of command.h: merges all invocations of functions, and prints them in the layout of
 * ftrace's function_graph. A function's numbers are on its first line, because all calls have
 * ended; callees are sorted by cost, because the order of calls differs between invocations.
 */
#include <stdio.h>
#include <stdlib.h>

#include "outside/pitot/call_tree.h"
#include "outside/pitot/command.h"
#include "outside/pitot/name.h"
#include "outside/pitot/plain.h"

#define COLUMNS 62 /* width of the numbers */

static const struct events *asked; /* the call events of the functions on the command line */
static struct call_tree tree;
static uint64_t calls[EVENTS_MOST];
static uint64_t slide; /* the kernel's run-time address minus its link address */
static bool cut;       /* deeper calls were omitted */

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

static int take(const struct wire_head *record, struct refusal *why)
{
    const struct wire_cost *cost = (const void *)record;
    int error = record->kind == WIRE_COST ? call_tree_add(&tree, cost, why) : 0;

    if (record->kind == WIRE_SLIDE)
        slide = ((const struct wire_number *)record)->number;
    if (error || record->kind != WIRE_COST)
        return error;
    for (unsigned i = 0; i < asked->count; i++)
        if (is_of(&asked->event[i], call_tree_function(cost->context)))
            calls[i] += cost->calls;
    return 0;
}

static void print_node(const struct call_node *node, const char *ends, int indent)
{
    char name[NAME_ROOM];

    fprintf(stderr, "%10llu %18llu %16llu %14llu  |  %*s%s()%s\n", (unsigned long long)node->calls,
            (unsigned long long)node->total,
            (unsigned long long)(node->calls ? node->total / node->calls : node->total),
            (unsigned long long)node->self, indent, "", name_function(node->function, name), ends);
}

/* `left`: levels to print, including this one. */
static void print_calls(const struct call_node *node, int indent, uint64_t left)
{
    size_t count;
    struct call_node **callees = call_tree_callees(node, &count);

    if (count == 0) {
        print_node(node, ";", indent);
    } else if (left == 1) {
        print_node(node, " { ... }", indent);
        cut = true;
    } else {
        print_node(node, " {", indent);
        for (size_t i = 0; i < count; i++)
            print_calls(callees[i], indent + 2, left - 1);
        fprintf(stderr, "%*s|  %*s}\n", COLUMNS + 1, "", indent, "");
    }
    free(callees);
}

static void print_all(const struct call_node *of, uint64_t depth)
{
    size_t count;
    struct call_node **nodes = call_tree_callees(of, &count);

    for (size_t i = 0; i < count; i++)
        print_calls(nodes[i], 0, depth);
    free(nodes);
}

static void print_graph(uint64_t depth)
{
    fprintf(stderr, "#    calls       instructions             each           self  |  FUNCTION "
                    "CALLS\n");
    print_all(&tree.roots, depth);
    if (tree.interrupts.callees) {
        fprintf(stderr, "# interrupts meanwhile, not in the costs above\n");
        fprintf(stderr, "%*s\n", COLUMNS + 2, "==========> |");
        print_all(&tree.interrupts, depth);
        fprintf(stderr, "%*s\n", COLUMNS + 2, "<========== |");
    }
    if (cut)
        fprintf(stderr, "# { ... }: deeper calls are in its cost; --depth shows more\n");
}

static void tell_missing(const struct watch *watch)
{
    for (unsigned i = 0; i < asked->count; i++) {
        const char *name = asked->event[i].name + sizeof("call:") - 1;

        if (calls[i] > 0)
            continue;
        if (watch->hits[i] == 0)
            plain_tell("pitot: %s never ran", name);
        else
            plain_tell("pitot: %s was not called; code reached by a jump or syscall has no graph",
                       name);
    }
}

int command_graph(const struct command *command, struct watch *watch, struct refusal *why)
{
    int error;

    asked = watch->events;
    tree.is_root = is_asked;
    watch->request.chains = watch->request.graph = true;
    watch->take = take;
    error = watch_run(watch, why);
    if (error)
        return error;
    if (tree.roots.callees)
        print_graph(command->options->depth);
    if (watch_ran(watch))
        tell_missing(watch);
    watch_tell_losses(watch);
    return 0;
}
