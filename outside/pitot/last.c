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

/* The vector and the error code, if known; what was interrupted. */
static void print_interrupt(const struct wire_last *call)
{
    char what[64] = "", error[32] = "", name[NAME_ROOM];
    unsigned vector = (unsigned)call->vector;
    const char *exception = vector_name(call->vector);

    if (call->vector >= 0)
        snprintf(what, sizeof(what), "vector %u%s%s, ", vector, *exception ? " " : "", exception);
    if (vector_has_error(call->vector))
        snprintf(error, sizeof(error), "error code 0x%x, ", call->error);
    fprintf(stderr, "/* %s%sat %s */\n", what, error,
            name_place(contexts_caller(call->context), name));
}

/* What was folded after this call. */
static void print_again(const struct wire_last *call)
{
    if (call->again == 0)
        return;
    fprintf(stderr, "%*s |  ", COLUMNS, "");
    if (call->cycle == 1)
        fprintf(stderr, "... again, %u times\n", call->again);
    else
        fprintf(stderr, "... these %u again, %u times\n", call->cycle, call->again);
}

static void print_call(const struct wire_last *call, long outside)
{
    long depth = contexts_depth(call->context) - outside;
    int indent = depth < INDENT_MOST / 2 ? (int)(2 * depth) : INDENT_MOST;
    char deep[24] = "", name[NAME_ROOM];

    if (depth > INDENT_MOST / 2)
        snprintf(deep, sizeof(deep), "[%ld] ", depth);

    if (call->context && contexts_by_interrupt(call->context)) {
        fprintf(stderr, "%*s |  %*s", COLUMNS, "==========>", indent, "");
        print_interrupt(call);
    }
    fprintf(stderr, "%*llu |  %*s%s%s()\n", COLUMNS, (unsigned long long)(where.time - call->time),
            indent, "", deep, name_function(call->entry, name));
    print_again(call);
}

static void print_place(FILE *file, uint64_t address)
{
    char name[NAME_ROOM];

    if (address == NAME_NOT_KNOWN)
        fprintf(file, "%*s %s\n", COLUMNS, "", name_place(address, name));
    else
        fprintf(file, "%*llx %s\n", COLUMNS, (unsigned long long)address,
                name_place(address, name));
}

static void print_caller(FILE *file, uint32_t context)
{
    print_place(file, contexts_caller(context));
}

static void print_where(void)
{
    fprintf(stderr, "# CPU %u was here, after %llu instructions:\n", where.head.cpu,
            (unsigned long long)where.time);
    print_place(stderr, where.ip);
    chain_print(stderr, where.context, "   ", print_caller);
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
    int error;

    watch->request.chains = true;
    watch->request.last = (uint32_t)command->options->calls;
    watch->take = take;
    error = watch_run(watch, why);
    if (error)
        return error;
    print_cpu();
    watch_tell_losses(watch);
    return 0;
}
