/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Allocators that are known by their names, and which functions of a kernel have such a name.
 * Called by outside/pitot/allocators.c and allocator_rust.c.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "outside/request.h"

/* Each family frees what it allocates. */
enum allocator_family {
    FAMILY_GIVEN,
    FAMILY_KERNEL,
    FAMILY_LIBC,
    FAMILY_LIBALLOC,
    FAMILY_DLMALLOC,
    FAMILY_COMPACT,
    FAMILY_RUST,
    FAMILY_NEW,
    FAMILY_NEW_ARRAY,
    FAMILIES
};

/* The arguments are as in --alloc, --realloc and --free. */
struct allocator_name {
    enum allocator_kind kind;
    enum allocator_family family;
    const char *name, *arguments;
};

/* Returns each of those that are known; NULL: the index is beyond the last one. */
const struct allocator_name *allocator_names_at(size_t index);

/*
 * Methods of Rust's allocators, as in <heap::Locked as core::alloc::global::GlobalAlloc>::alloc.
 * Their Layout is two arguments; the size is the last one here.
 */
#define ALLOCATOR_GLOBAL " as core::alloc::global::GlobalAlloc>::"

bool allocator_name_is_global(const char *name);

/* True if the function has that name; of a method of GlobalAlloc, if its name ends so. */
bool allocator_name_is(const char *symbol, const char *name);

/* Newer Rust has __rust_alloc and its like in a crate of its own, whose name has a hash. */
bool allocator_name_is_in_crate(const char *symbol, const char *name);

/*
 * True if gcc has made the function of that one, as kmalloc.constprop.0: it may have other
 * arguments.
 */
bool allocator_name_is_clone(const char *name, const char *of);

/* Returns what stands before a name's end, if it is that; NULL: it is another. */
const char *allocator_name_before(const char *name, const char *end);
