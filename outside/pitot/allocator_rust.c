/* SPDX-License-Identifier: BSD-2-Clause */
/* See allocator_rust.h. */
#include "outside/pitot/allocator_rust.h"

#include "outside/pitot/allocator_names.h"
#include "outside/pitot/elf_symbols.h"
#include "outside/pitot/plain.h"

bool allocator_rust_is_inlined(void)
{
    struct symbol symbol;

    for (size_t i = 0; elf_symbols_function(i, &symbol); i++)
        if (allocator_name_is_in_crate(symbol.name, "__rust_alloc"))
            return true;
    return false;
}

/* True if all calls of this method of GlobalAlloc are calls. */
static bool has_calls(const struct allocator *one, const char *method)
{
    return allocator_name_before(one->name, method) && one->code.described && !one->code.changed &&
           one->code.copies == 0;
}

void allocator_rust_drop(struct allocators *all)
{
    bool allocates = false, frees = false;
    size_t kept = 0;

    for (size_t i = 0; i < all->count; i++) {
        allocates |= has_calls(&all->allocator[i], ALLOCATOR_GLOBAL "alloc");
        frees |= has_calls(&all->allocator[i], ALLOCATOR_GLOBAL "dealloc");
    }
    if (allocates && frees)
        return;
    for (size_t i = 0; i < all->count; i++)
        if (all->allocator[i].known != FAMILY_RUST)
            all->allocator[kept++] = all->allocator[i];
    if (kept < all->count)
        plain_tell("pitot: __rust_alloc is left out: its code may be in its callers; --alloc and "
                   "--free name the functions that it calls");
    all->count = kept;
}
