/* SPDX-License-Identifier: BSD-2-Clause */
/* See allocator_rust.h. */
#include "outside/pitot/allocator_rust.h"

#include <string.h>

#include "outside/pitot/allocator_names.h"
#include "outside/pitot/elf_symbols.h"
#include "outside/pitot/plain.h"

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
