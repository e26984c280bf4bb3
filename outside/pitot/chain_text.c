/* SPDX-License-Identifier: BSD-2-Clause */
/* See chain_text.h. */
#include "outside/pitot/chain_text.h"

#include <stdbool.h>

#include "core/symbols/symbols.h"
#include "outside/pitot/contexts.h"
#include "outside/pitot/name.h"

#define END_SHOWN 32 /* callers at each end */
#define LINE_MOST 24 /* functions of a line */

static uint64_t function_of(uint32_t context)
{
    struct symbol symbol;
    uint64_t caller = contexts_caller(context);

    return symbols_find_address(caller, &symbol) ? symbol.address : caller;
}

/* Returns the function that most of these `count` contexts are in, if one is in more than half. */
static uint64_t most_of(uint32_t context, long count)
{
    uint64_t candidate = 0;
    long votes = 0;

    for (long i = 0; i < count; i++, context = contexts_outer(context)) {
        uint64_t function = function_of(context);

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
        times += function_of(context) == most;
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
