/* SPDX-License-Identifier: BSD-2-Clause */
/* See allocator_code.h. */
#include "outside/pitot/allocator_code.h"

#include <string.h>

#include "core/lib/glob.h"
#include "outside/pitot/elf_symbols.h"
#include "outside/pitot/place.h"
#include "outside/pitot/plugin.h"

/* True for the function, and for what gcc makes of it: .cold, .part.0, .constprop.0. */
static bool is_part_of(const char *name, const char *function)
{
    size_t length = strlen(function);

    return strncmp(name, function, length) == 0 && (name[length] == '\0' || name[length] == '.');
}

static bool is_one_of(const struct symbol *symbol, const struct allocators *all)
{
    for (size_t i = 0; i < all->count; i++)
        if (symbol->address == all->allocator[i].asked.entry ||
            is_part_of(symbol->name, all->allocator[i].name))
            return true;
    return false;
}

static bool is_own(uint64_t address, const void *all)
{
    struct symbol function;

    return symbols_find_address(address, &function) && is_one_of(&function, all);
}

void allocator_code_read(struct allocators *all, const struct kernel *kernel)
{
    for (size_t i = 0; i < all->count; i++)
        all->allocator[i].code.entry = all->allocator[i].asked.entry;
    inlining_read(kernel, &all->allocator[0].code, all->count, sizeof(all->allocator[0]), is_own,
                  all);
}

static bool is_code(const struct symbol *symbol, const struct allocators *all,
                    const struct pitot_options *options)
{
    if (is_one_of(symbol, all))
        return true;
    for (unsigned i = 0; i < options->allocator.count; i++)
        if (glob_match(options->allocator.text[i], symbol->name))
            return true;
    return false;
}

/* Refuses the first pattern of --allocator that matches no function. */
static int check_patterns(const struct pitot_options *options, const struct kernel *kernel,
                          struct refusal *why)
{
    struct symbol symbol;

    for (unsigned i = 0; i < options->allocator.count; i++) {
        const char *pattern = options->allocator.text[i];
        bool found = false;

        for (size_t at = 0; !found && elf_symbols_function(at, &symbol); at++)
            found = glob_match(pattern, symbol.name);
        if (!found)
            return place_refuse_name("function", pattern, kernel, why);
    }
    return 0;
}

/* Adds their code. */
static int ask_code(const struct allocators *all, const struct pitot_options *options,
                    struct watch *watch, struct refusal *why)
{
    struct request_list *code = &watch->request.heap.code;
    struct symbol symbol, next;
    int error = 0;

    for (size_t i = 0; !error && elf_symbols_function(i, &symbol); i++) {
        if (symbol.size == 0 && elf_symbols_function(i + 1, &next)) /* of assembly */
            symbol.size = next.address - symbol.address;
        if (is_code(&symbol, all, options))
            error =
                plugin_add_range(watch, code, symbol.address, symbol.address + symbol.size, why);
    }
    return error;
}

int allocator_code_ask(const struct allocators *all, const struct pitot_options *options,
                       struct watch *watch, struct refusal *why)
{
    struct request *request = &watch->request;
    int error = check_patterns(options, watch->kernel, why);

    for (size_t i = 0; i < all->count; i++)
        request->heap.allocators[i] = all->allocator[i].asked;
    request->heap.allocator_count = (uint32_t)all->count;
    return error ? error : ask_code(all, options, watch, why);
}
