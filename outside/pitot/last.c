/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * `pitot last` of command.h: prints the last calls of each CPU, oldest first, indented by depth as
 * in ftrace's function_graph, and the final position. Returns are not kept, so there are no braces.
 */
#include <stdio.h>

#include "outside/pitot/array.h"
#include "outside/pitot/command.h"
#include "outside/pitot/contexts.h"
#include "outside/pitot/name.h"
#include "outside/pitot/threads.h"

#define CHAIN_SHOWN 64
#define COLUMNS     18 /* width of the numbers */
#define INDENT_MOST 60 /* deeper calls show their depth in brackets */

/* The current CPU: its position, and the calls received for it. */
static struct wire_where where;
static bool has_where;
static struct wire_last *calls;
static size_t count, room;

static void print_switch(uint32_t from, uint32_t to)
{
    static const char line[] = " ------------------------------------------\n";

    fprintf(stderr, "%s %s-%u => %s-%u\n%s", line, threads_name(from), from + KERNEL_TID,
            threads_name(to), to + KERNEL_TID, line);
}

static void print_call(const struct wire_last *call, long outside)
{
    long depth = contexts_depth(call->context) - outside;
    int indent = depth < INDENT_MOST / 2 ? (int)(2 * depth) : INDENT_MOST;
    char deep[24] = "", name[NAME_ROOM];

    if (depth > INDENT_MOST / 2)
        snprintf(deep, sizeof(deep), "[%ld] ", depth);

    if (call->context && contexts_by_interrupt(call->context))
        fprintf(stderr, "%*s |  %*s/* at %s */\n", COLUMNS, "==========>", indent, "",
                name_place(contexts_caller(call->context), name));
    fprintf(stderr, "%*llu |  %*s%s%s()\n", COLUMNS, (unsigned long long)(where.time - call->time),
            indent, "", deep, name_function(call->entry, name));
}

static void print_where(void)
{
    uint64_t chain[CHAIN_SHOWN];
    size_t depth = (size_t)contexts_depth(where.context),
           shown = depth < CHAIN_SHOWN ? depth : CHAIN_SHOWN;
    char name[NAME_ROOM];

    fprintf(stderr, "# CPU %u was here, after %llu instructions:\n", where.head.cpu,
            (unsigned long long)where.time);
    fprintf(stderr, "%*llx %s\n", COLUMNS, (unsigned long long)where.ip,
            name_place(where.ip, name));
    contexts_chain(where.context, chain, shown);
    for (size_t i = 0; i < shown; i++)
        fprintf(stderr, "%*llx %s\n", COLUMNS, (unsigned long long)chain[i],
                name_place(chain[i], name));
    if (shown < depth)
        fprintf(stderr, "%*s and %zu more\n", COLUMNS, "", depth - shown);
}

/* Prints the current CPU, if there is one. */
static void print_cpu(void)
{
    long outside = -1;

    if (!has_where)
        return;
    for (size_t i = 0; i < count; i++) {
        long depth = contexts_depth(calls[i].context);

        outside = outside < 0 || depth < outside ? depth : outside;
    }
    fprintf(stderr, "# CPU %u: the last %zu of %llu calls and interrupts\n#%*s |  FUNCTION CALLS\n",
            where.head.cpu, count, (unsigned long long)where.calls, COLUMNS - 1, "BEFORE THE END");
    for (size_t i = 0; i < count; i++) {
        if (i > 0 && calls[i].thread != calls[i - 1].thread)
            print_switch(calls[i - 1].thread, calls[i].thread);
        print_call(&calls[i], outside);
    }
    print_where();
    has_where = false;
    count = 0;
}

static int take_call(const struct wire_last *call, struct refusal *why)
{
    int error;

    if (!has_where || call->head.cpu != where.head.cpu || contexts_depth(call->context) < 0)
        return refuse(why, EINVAL, "the plugin's last call in context %u is invalid",
                      call->context);
    error = array_grow(&calls, &room, count + 1, sizeof(*calls), "calls", why);
    if (!error)
        calls[count++] = *call;
    return error;
}

static int take(const struct wire_head *record, struct refusal *why)
{
    switch (record->kind) {
    case WIRE_THREAD:
        return threads_add((const void *)record, why);
    case WIRE_WHERE:
        print_cpu();
        where = *(const struct wire_where *)record;
        has_where = true;
        return contexts_depth(where.context) < 0
                   ? refuse(why, EINVAL, "the plugin's place in context %u is invalid",
                            where.context)
                   : 0;
    case WIRE_LAST:
        return take_call((const void *)record, why);
    default:
        return 0;
    }
}

int command_last(const struct command *command, struct watch *watch, struct refusal *why)
{
    char wanted[32];
    int error;

    snprintf(wanted, sizeof(wanted), ",last=%llu", (unsigned long long)command->options->calls);
    watch->chains = true;
    watch->wanted = wanted;
    watch->take = take;
    error = watch_run(watch, why);
    watch->wanted = NULL;
    if (error)
        return error;
    print_cpu();
    watch_tell_unrun(watch);
    watch_tell_losses(watch);
    return 0;
}
