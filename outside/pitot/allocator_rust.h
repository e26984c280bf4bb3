/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rust's allocators, whose __rust_alloc a compiler may put into its callers. Called by
 * outside/pitot/allocators.c.
 */
#pragma once

#include "outside/pitot/allocators.h"

/* True if __rust_alloc has a crate's name: its code may be in its callers. */
bool allocator_rust_is_inlined(void);

/*
 * Callers of such a __rust_alloc call the methods of GlobalAlloc. If these are inlined, too, what
 * is allocated and freed is known in part only: then none of it is watched.
 */
void allocator_rust_drop(struct allocators *allocators);
