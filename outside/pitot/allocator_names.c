/* SPDX-License-Identifier: BSD-2-Clause */
/* The names of allocators (heap.h). */
#include <string.h>

#include "outside/pitot/heap.h"

/* Allocators by their usual names; the arguments as in --alloc, --realloc and --free. */
static const struct allocator_name known[] = {
    {ALLOCATOR_ALLOCATES, FAMILY_KERNEL, "kmalloc", "1"},
    {ALLOCATOR_ALLOCATES, FAMILY_KERNEL, "kzalloc", "1"},
    {ALLOCATOR_ALLOCATES, FAMILY_KERNEL, "kcalloc", "1*2"},
    {ALLOCATOR_REALLOCATES, FAMILY_KERNEL, "krealloc", "1:2"},
    {ALLOCATOR_FREES, FAMILY_KERNEL, "kfree", "1"},
    {ALLOCATOR_ALLOCATES, FAMILY_LIBC, "malloc", "1"},
    {ALLOCATOR_ALLOCATES, FAMILY_LIBC, "zalloc", "1"},
    {ALLOCATOR_ALLOCATES, FAMILY_LIBC, "calloc", "1*2"},
    {ALLOCATOR_ALLOCATES, FAMILY_LIBC, "memalign", "2"},
    {ALLOCATOR_ALLOCATES, FAMILY_LIBC, "aligned_alloc", "2"},
    {ALLOCATOR_ALLOCATES, FAMILY_LIBC, "posix_memalign", "3@1"},
    {ALLOCATOR_REALLOCATES, FAMILY_LIBC, "realloc", "1:2"},
    {ALLOCATOR_FREES, FAMILY_LIBC, "free", "1"},
    {ALLOCATOR_ALLOCATES, FAMILY_LIBALLOC, "liballoc_malloc", "1"},
    {ALLOCATOR_ALLOCATES, FAMILY_LIBALLOC, "liballoc_calloc", "1*2"},
    {ALLOCATOR_REALLOCATES, FAMILY_LIBALLOC, "liballoc_realloc", "1:2"},
    {ALLOCATOR_FREES, FAMILY_LIBALLOC, "liballoc_free", "1"},
    {ALLOCATOR_ALLOCATES, FAMILY_DLMALLOC, "dlmalloc", "1"},
    {ALLOCATOR_ALLOCATES, FAMILY_DLMALLOC, "dlcalloc", "1*2"},
    {ALLOCATOR_ALLOCATES, FAMILY_DLMALLOC, "dlmemalign", "2"},
    {ALLOCATOR_REALLOCATES, FAMILY_DLMALLOC, "dlrealloc", "1:2"},
    {ALLOCATOR_FREES, FAMILY_DLMALLOC, "dlfree", "1"},
    {ALLOCATOR_ALLOCATES, FAMILY_COMPACT, "cmpct_alloc", "1"},
    {ALLOCATOR_ALLOCATES, FAMILY_COMPACT, "cmpct_memalign", "1"},
    {ALLOCATOR_REALLOCATES, FAMILY_COMPACT, "cmpct_realloc", "1:2"},
    {ALLOCATOR_FREES, FAMILY_COMPACT, "cmpct_free", "1"},
    {ALLOCATOR_ALLOCATES, FAMILY_RUST, "__rust_alloc", "1"},
    {ALLOCATOR_ALLOCATES, FAMILY_RUST, "__rust_alloc_zeroed", "1"},
    {ALLOCATOR_REALLOCATES, FAMILY_RUST, "__rust_realloc", "1:4:2"},
    {ALLOCATOR_FREES, FAMILY_RUST, "__rust_dealloc", "1:2"},
    {ALLOCATOR_ALLOCATES, FAMILY_RUST, "__rg_alloc", "1"},
    {ALLOCATOR_ALLOCATES, FAMILY_RUST, "__rg_alloc_zeroed", "1"},
    {ALLOCATOR_REALLOCATES, FAMILY_RUST, "__rg_realloc", "1:4:2"},
    {ALLOCATOR_FREES, FAMILY_RUST, "__rg_dealloc", "1:2"},
    {ALLOCATOR_ALLOCATES, FAMILY_RUST, "__rdl_alloc", "1"},
    {ALLOCATOR_ALLOCATES, FAMILY_RUST, "__rdl_alloc_zeroed", "1"},
    {ALLOCATOR_REALLOCATES, FAMILY_RUST, "__rdl_realloc", "1:4:2"},
    {ALLOCATOR_FREES, FAMILY_RUST, "__rdl_dealloc", "1:2"},
    {ALLOCATOR_ALLOCATES, FAMILY_RUST, ALLOCATOR_GLOBAL "alloc", "3"},
    {ALLOCATOR_ALLOCATES, FAMILY_RUST, ALLOCATOR_GLOBAL "alloc_zeroed", "3"},
    {ALLOCATOR_REALLOCATES, FAMILY_RUST, ALLOCATOR_GLOBAL "realloc", "2:5:4"},
    {ALLOCATOR_FREES, FAMILY_RUST, ALLOCATOR_GLOBAL "dealloc", "2:4"},
    {ALLOCATOR_ALLOCATES, FAMILY_NEW, "_Znwm", "1"},
    {ALLOCATOR_ALLOCATES, FAMILY_NEW, "_ZnwmRKSt9nothrow_t", "1"},
    {ALLOCATOR_ALLOCATES, FAMILY_NEW, "_ZnwmSt11align_val_t", "1"},
    {ALLOCATOR_ALLOCATES, FAMILY_NEW, "_ZnwmSt11align_val_tRKSt9nothrow_t", "1"},
    {ALLOCATOR_FREES, FAMILY_NEW, "_ZdlPv", "1"},
    {ALLOCATOR_FREES, FAMILY_NEW, "_ZdlPvm", "1:2"},
    {ALLOCATOR_FREES, FAMILY_NEW, "_ZdlPvSt11align_val_t", "1"},
    {ALLOCATOR_FREES, FAMILY_NEW, "_ZdlPvmSt11align_val_t", "1:2"},
    {ALLOCATOR_ALLOCATES, FAMILY_NEW_ARRAY, "_Znam", "1"},
    {ALLOCATOR_ALLOCATES, FAMILY_NEW_ARRAY, "_ZnamRKSt9nothrow_t", "1"},
    {ALLOCATOR_ALLOCATES, FAMILY_NEW_ARRAY, "_ZnamSt11align_val_t", "1"},
    {ALLOCATOR_ALLOCATES, FAMILY_NEW_ARRAY, "_ZnamSt11align_val_tRKSt9nothrow_t", "1"},
    {ALLOCATOR_FREES, FAMILY_NEW_ARRAY, "_ZdaPv", "1"},
    {ALLOCATOR_FREES, FAMILY_NEW_ARRAY, "_ZdaPvm", "1:2"},
    {ALLOCATOR_FREES, FAMILY_NEW_ARRAY, "_ZdaPvSt11align_val_t", "1"},
    {ALLOCATOR_FREES, FAMILY_NEW_ARRAY, "_ZdaPvmSt11align_val_t", "1:2"},
};

const struct allocator_name *allocator_names_at(size_t index)
{
    return index < sizeof(known) / sizeof(*known) ? &known[index] : NULL;
}

const char *allocator_name_before(const char *name, const char *end)
{
    size_t length = strlen(name), rest = strlen(end);

    return length > rest && strcmp(name + length - rest, end) == 0 ? name + length - rest : NULL;
}

bool allocator_name_is_global(const char *name)
{
    return strncmp(name, ALLOCATOR_GLOBAL, sizeof(ALLOCATOR_GLOBAL) - 1) == 0;
}

bool allocator_name_is_in_crate(const char *symbol, const char *name)
{
    const char *tail = strncmp(name, "__r", 3) == 0 ? allocator_name_before(symbol, name) : NULL;

    return tail && tail >= symbol + 2 && tail[-1] == ':' && tail[-2] == ':';
}

bool allocator_name_is(const char *symbol, const char *name)
{
    if (allocator_name_is_global(name))
        return allocator_name_before(symbol, name);
    return strcmp(symbol, name) == 0 || allocator_name_is_in_crate(symbol, name);
}

bool allocator_name_is_clone(const char *name, const char *of)
{
    static const char *const kinds[] = {".constprop.", ".isra.", ".part."};
    size_t length = strlen(of);

    for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
        if (strncmp(name, of, length) == 0 &&
            strncmp(name + length, kinds[i], strlen(kinds[i])) == 0)
            return true;
    return false;
}
