/* SPDX-License-Identifier: BSD-2-Clause */
/* The code of the allocators (heap.h), and which of Rust's are watched. */
#include <string.h>

#include "core/lib/glob.h"
#include "outside/pitot/elf_symbols.h"
#include "outside/pitot/heap.h"
#include "outside/pitot/place.h"
#include "outside/pitot/plain.h"
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

/* --- Rust --- */

/*
 * A compiler may put the code of __rust_alloc into its callers, which then call the methods of
 * GlobalAlloc. If these are inlined, too, or their arguments are not known, what is allocated and
 * freed is known in part only: then none of it is watched.
 */

/* What is known of the methods of GlobalAlloc. */
struct methods {
    bool allocate, free; /* there is one */
    bool all_called;     /* all calls of them are calls, with all arguments */
    enum inlining_layout layout;
};

static bool is_method(const struct allocator *one)
{
    return one->known == FAMILY_RUST && strstr(one->name, ALLOCATOR_GLOBAL);
}

/* The code of __rust_alloc is in its callers, or may be: it has a crate's name, or is not there. */
static bool is_inlined(const struct allocators *all)
{
    bool there = false;
    struct symbol symbol;

    for (size_t i = 0; elf_symbols_function(i, &symbol); i++)
        if (allocator_name_is_in_crate(symbol.name, "__rust_alloc"))
            return true;
    for (size_t i = 0; i < all->count; i++) {
        const struct allocator *one = &all->allocator[i];

        if (one->known != FAMILY_RUST || is_method(one))
            continue;
        if (one->code.copies > 0)
            return true;
        there = true;
    }
    return !there;
}

static struct methods read_methods(const struct allocators *all)
{
    struct methods methods = {.all_called = true};

    for (size_t i = 0; i < all->count; i++) {
        const struct allocator *one = &all->allocator[i];

        if (!is_method(one))
            continue;
        methods.allocate |= allocator_name_before(one->name, ALLOCATOR_GLOBAL "alloc") != NULL;
        methods.free |= allocator_name_before(one->name, ALLOCATOR_GLOBAL "dealloc") != NULL;
        methods.all_called &= one->code.described && !one->code.changed && one->code.copies == 0;
        if (one->code.layout != LAYOUT_NOT_KNOWN)
            methods.layout = one->code.layout;
    }
    return methods;
}

/* The known arguments are those of a Layout with its size last. */
static void take_size_first(struct request_allocator *asked)
{
    if (asked->kind == ALLOCATOR_ALLOCATES)
        asked->sizes[0]--;
    else
        asked->before--;
}

/* Calls of the others that are inlined are calls of the methods. */
static void watch_methods(struct allocators *all, enum inlining_layout layout)
{
    for (size_t i = 0; i < all->count; i++) {
        struct allocator *one = &all->allocator[i];

        if (one->known == FAMILY_RUST)
            one->code.copies = 0;
        if (is_method(one) && layout == LAYOUT_SIZE_FIRST)
            take_size_first(&one->asked);
    }
}

/* Returns how many are left out. */
static size_t drop(struct allocators *all, bool (*is_dropped)(const struct allocator *one))
{
    size_t kept = 0, dropped;

    for (size_t i = 0; i < all->count; i++)
        if (!is_dropped(&all->allocator[i]))
            all->allocator[kept++] = all->allocator[i];
    dropped = all->count - kept;
    all->count = kept;
    return dropped;
}

static bool is_rust(const struct allocator *one)
{
    return one->known == FAMILY_RUST;
}

void allocator_rust_choose(struct allocators *all)
{
    struct methods methods = read_methods(all);

    if (!is_inlined(all))
        drop(all, is_method);
    else if (methods.allocate && methods.free && methods.all_called &&
             methods.layout != LAYOUT_NOT_KNOWN)
        watch_methods(all, methods.layout);
    else if (drop(all, is_rust) > 0)
        plain_tell("pitot: __rust_alloc is left out: its code may be in its callers; --alloc and "
                   "--free name the functions that it calls");
}
