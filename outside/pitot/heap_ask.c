/* SPDX-License-Identifier: BSD-2-Clause */
/* What `pitot heap` asks (heap.h). */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "outside/pitot/elf_symbols.h"
#include "outside/pitot/heap.h"
#include "outside/pitot/plain.h"
#include "outside/pitot/plugin.h"

#define GUARD 16 /* bytes between an object and the next */

static struct allocators allocators;

/* --- What is changed in the guest --- */

/* True if a few bytes more can be asked for: not of an order, nor where all have one size. */
static bool has_room(const struct request_allocator *allocator)
{
    return (allocator->size != ALLOCATOR_FIELD && request_is_argument(allocator->sizes[0])) ||
           (allocator->size == ALLOCATOR_PRODUCT && request_is_argument(allocator->sizes[1]));
}

/* Refuses --guard and --quarantine if there is nothing that they could change. */
static int check_changes(const struct pitot_options *options, struct refusal *why)
{
    const struct allocator *without = NULL;
    bool guards = false, frees = false;

    for (size_t i = 0; i < allocators.count; i++) {
        const struct allocator *one = &allocators.allocator[i];

        if (one->asked.kind == ALLOCATOR_FREES)
            frees = true;
        else if (has_room(&one->asked))
            guards = true;
        else
            without = one;
    }
    if (options->guard && !guards)
        return refuse(why, EINVAL, "--guard: %s takes no size in bytes that could be larger",
                      without->name);
    if (options->guard && without)
        plain_tell("pitot: --guard: objects of %s have no guard: it takes no size in bytes",
                   without->name);
    if (options->quarantine && !frees)
        return refuse(why, EINVAL, "--quarantine: no function frees; --free FUNCTION names one");
    return 0;
}

/* Marks beside an object end with the variable that it is in: one without a size, at the next. */
static int ask_variables(struct watch *watch, struct refusal *why)
{
    struct request_list *list = &watch->request.heap.variables;
    struct symbol variable, next;
    int error = 0;

    for (size_t i = 0; !error && elf_symbols_variable(i, &variable); i++) {
        if (variable.size == 0 && elf_symbols_variable(i + 1, &next)) /* of assembly, of a list */
            variable.size = next.address - variable.address;
        error =
            plugin_add_range(watch, list, variable.address, variable.address + variable.size, why);
    }
    return error;
}

int heap_ask(const struct pitot_options *options, struct watch *watch, struct refusal *why)
{
    int error = allocators_find(&allocators, options, watch->kernel, why);

    if (!error)
        error = check_changes(options, why);
    if (!error)
        error = allocator_code_ask(&allocators, options, watch, why);
    watch->request.heap.guard = options->guard ? GUARD : 0;
    watch->request.heap.quarantine = (uint32_t)options->quarantine;
    return error ? error : ask_variables(watch, why);
}

/* --- What is told --- */

static void tell_allocators(void)
{
    char *list = NULL;
    size_t size;
    FILE *text = open_memstream(&list, &size);

    for (size_t i = 0; text && i < allocators.count; i++)
        fprintf(text, " %s", allocators.allocator[i].name);
    if (text && fclose(text) == 0)
        plain_tell("pitot: allocators:%s", list);
    free(list);
}

static void tell_changes(const struct pitot_options *options)
{
    if (options->guard)
        fprintf(stderr, "pitot: --guard changes the kernel: its objects have %d bytes more\n",
                GUARD);
    if (options->quarantine)
        fprintf(stderr,
                "pitot: --quarantine changes the kernel: each function that frees is %" PRIu64
                " object%s late\n",
                options->quarantine, options->quarantine == 1 ? "" : "s");
}

void heap_ask_tell(const struct pitot_options *options)
{
    tell_allocators();
    tell_changes(options);
}
