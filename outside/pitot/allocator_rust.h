/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which of Rust's allocators are watched. A compiler may put the code of __rust_alloc into its
 * callers, which then call the methods of GlobalAlloc. If these are inlined, too, or their
 * arguments are not known, what is allocated and freed is known in part only: then none of it is
 * watched. Called by outside/pitot/allocators.c.
 */
#pragma once

#include "outside/pitot/allocators.h"

/* Leaves the functions to watch, of those that are known by name and whose code is read. */
void allocator_rust_choose(struct allocators *allocators);
