/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernel's allocators: those of --alloc, --realloc and --free, or else those whose names are
 * known. Called by outside/pitot/heap.c.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "outside/pitot/kernel.h"
#include "outside/pitot/options.h"

#define ALLOCATORS_MOST 192 /* with aliases; the plugin takes a few more */

enum allocator_kind { ALLOCATOR_ALLOCATES, ALLOCATOR_REALLOCATES, ALLOCATOR_FREES };

struct allocator {
    enum allocator_kind kind;
    const char *name;
    uint64_t entry;
    unsigned family;   /* who allocates frees; 0: any */
    unsigned known;    /* the family of its name; 0: it was given */
    unsigned object;   /* which argument is the object: REALLOCATES, FREES */
    uint64_t sizes[2]; /* ALLOCATES, REALLOCATES: arguments from 1 to 6, or greater numbers */
    char operation;    /* '\0': sizes[0]; '*', '<': with sizes[1] */
};

struct allocators {
    size_t count;
    struct allocator allocator[ALLOCATORS_MOST];
};

/* Finds them, or refuses: none, or a name that the kernel does not have. */
int allocators_find(struct allocators *allocators, const struct pitot_options *options,
                    const struct kernel *kernel, struct refusal *why);

/*
 * Writes the code of these functions, of their parts (.cold), and of those that match --allocator,
 * to an anonymous file, as outside/plugin/heap.h describes it. Returns its descriptor, which QEMU
 * inherits, or a negative errno and the reason.
 */
int allocators_write_code(const struct allocators *allocators, const struct pitot_options *options,
                          const struct kernel *kernel, struct refusal *why);
