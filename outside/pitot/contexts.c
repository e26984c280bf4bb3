/* SPDX-License-Identifier: BSD-2-Clause */
/* See contexts.h. */
#include "outside/pitot/contexts.h"

#include <stdbool.h>

#include "core/symbols/symbols.h"
#include "outside/pitot/array.h"
#include "outside/pitot/name.h"

#define END_SHOWN     32         /* callers at each end */
#define LINE_MOST     24         /* functions of a line */
#define CONTEXTS_MOST (1u << 22) /* the plugin has fewer; a damaged file may claim more */

static struct context {
    uint64_t caller;
    uint32_t outer, depth; /* depth 0: no such context */
    enum wire_by by;
} * contexts;
static size_t room;

long contexts_depth(uint32_t context)
{
    if (context == 0)
        return 0;
    return context < room && contexts[context].depth ? (long)contexts[context].depth : -1;
}

/*
 * Returns the return address, as in all perf chains. If a function ends with a call that does not
 * return, that address is in the next function; then returns the address of the call's last byte.
 */
static uint64_t caller_of(const struct wire_context *context)
{
    uint64_t after = context->site + context->site_end;
    struct symbol at, next;

    if (context->by == WIRE_BY_UNKNOWN)
        return NAME_NOT_KNOWN;
    if (context->by != WIRE_BY_CALL)
        return context->site;
    if (symbols_find_address(context->site, &at) &&
        (!symbols_find_address(after, &next) || next.address != at.address))
        return after - 1;
    return after;
}

int contexts_add(const struct wire_context *context, struct refusal *why)
{
    long outside = contexts_depth(context->outer);
    int error;

    if (context->context == 0 || context->context >= CONTEXTS_MOST || outside < 0 ||
        contexts_depth(context->context) >= 0)
        return refuse(why, EINVAL, "the plugin's calling context %u, called by %u, is invalid",
                      context->context, context->outer);
    error = array_grow(&contexts, &room, context->context + 1, sizeof(*contexts),
                       "calling contexts", why);
    if (!error)
        contexts[context->context] = (struct context){
            caller_of(context), context->outer, (uint32_t)outside + 1, (enum wire_by)context->by};
    return error;
}

uint64_t contexts_caller(uint32_t context)
{
    return contexts[context].caller;
}

uint32_t contexts_outer(uint32_t context)
{
    return contexts[context].outer;
}

bool contexts_by_interrupt(uint32_t context)
{
    return contexts[context].by == WIRE_BY_INTERRUPT;
}

uint64_t contexts_code(uint32_t context)
{
    return contexts[context].caller - (contexts[context].by == WIRE_BY_CALL);
}

uint64_t contexts_function(uint32_t context)
{
    struct symbol symbol;
    uint64_t caller = contexts_caller(context);

    return symbols_find_address(caller, &symbol) ? symbol.address : caller;
}

/* --- As text --- */

/* Returns the function that most of these `count` contexts are in, if one is in more than half. */
static uint64_t most_of(uint32_t context, long count)
{
    uint64_t candidate = 0;
    long votes = 0;

    for (long i = 0; i < count; i++, context = contexts_outer(context)) {
        uint64_t function = contexts_function(context);

        if (votes == 0)
            candidate = function;
        votes += function == candidate ? 1 : -1;
    }
    return candidate;
}

static void print_left_out(FILE *file, uint32_t context, long count, const char *indent)
{
    uint64_t most = most_of(context, count);
    char name[NAME_ROOM];
    long times = 0;

    for (long i = 0; i < count; i++, context = contexts_outer(context))
        times += contexts_function(context) == most;
    fprintf(file, "%s... ", indent);
    if (times < count)
        fprintf(file, "%ld more callers, of them ", count);
    fprintf(file, "%ld times %s ...\n", times, name_function(most, name));
}

void chain_print(FILE *file, uint32_t context, const char *indent,
                 void (*print)(FILE *file, uint32_t context))
{
    long depth = contexts_depth(context), left_out = depth - 2 * END_SHOWN;

    for (long i = 0; i < depth; i++, context = contexts_outer(context)) {
        if (i == END_SHOWN && left_out > 1) {
            print_left_out(file, context, left_out, indent);
            for (; i < END_SHOWN + left_out; i++)
                context = contexts_outer(context);
        }
        print(file, context);
    }
}

static void print_function(FILE *file, uint64_t address, bool first, bool interrupted)
{
    char name[NAME_ROOM];

    fprintf(file, "%s%s%s", first ? "" : " < ", interrupted ? "!" : "", name_place(address, name));
}

void chain_print_line(FILE *file, uint64_t ip, uint32_t context)
{
    long depth = contexts_depth(context);

    if (ip)
        print_function(file, ip, true, false);
    for (long i = 0; i < depth; i++, context = contexts_outer(context)) {
        if (i == LINE_MOST) {
            fprintf(file, " < ... %ld more", depth - i);
            break;
        }
        print_function(file, contexts_caller(context), i == 0 && !ip,
                       contexts_by_interrupt(context));
    }
    if (!ip && depth == 0)
        fprintf(file, "[not known]");
}
