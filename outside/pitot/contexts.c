/* SPDX-License-Identifier: BSD-2-Clause */
/* See contexts.h. */
#include "outside/pitot/contexts.h"

#include "core/symbols/symbols.h"
#include "outside/pitot/array.h"
#include "outside/pitot/name.h"

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
