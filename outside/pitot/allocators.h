/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernel's allocators: those of --alloc, --realloc and --free, or else those whose names are
 * known. Called by outside/pitot/heap.c.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "outside/pitot/inlining.h"
#include "outside/pitot/kernel.h"
#include "outside/pitot/options.h"
#include "outside/pitot/watch.h"
#include "outside/request.h"

struct allocator {
    const char *name;
    unsigned known; /* the family of its name; 0: it was given */
    struct request_allocator asked;
    struct inlining code;
};

struct allocators {
    size_t count;
    struct allocator allocator[ALLOCATORS_MOST];
};

/* Finds them, or refuses: none, or a name that the kernel does not have. */
int allocators_find(struct allocators *allocators, const struct pitot_options *options,
                    const struct kernel *kernel, struct refusal *why);
