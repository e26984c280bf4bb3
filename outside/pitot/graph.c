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

#include "outside/pitot/call_tree.h"
#include "outside/pitot/command.h"
#include "outside/pitot/name.h"
#include "outside/pitot/plain.h"
#include "outside/pitot/question.h"

#define PAGE_DEFAULT "graph.html"
#define ASKED_ROOM   256
#define CALL         "call:"
#define THREADS      "all" /* costs are not kept by thread */
#define COLUMNS      62    /* width of the numbers */

static const struct events *asked; /* the call events of the functions on the command line */
static struct call_tree tree;
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
        fprintf(out, "%*s|  %*s}\n", COLUMNS + 1, "", indent, "");
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
    tree.is_root = is_asked;
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
