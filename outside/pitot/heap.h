/* SPDX-License-Identifier: BSD-2-Clause */
/* The parts of `pitot heap`: what it asks of the plugin, what it writes, and the allocators. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "outside/pitot/command.h"
#include "outside/pitot/kernel.h"
#include "outside/pitot/options.h"
#include "outside/pitot/watch.h"
#include "outside/request.h"
#include "outside/wire.h"

/* --- What it asks: heap_ask.c --- */

/* Finds the allocators, and adds to the request all that it has for the heap. */
int heap_ask(const struct pitot_options *options, struct watch *watch, struct refusal *why);

/* Prints which allocators were found, and what is changed in the kernel. */
void heap_ask_tell(const struct pitot_options *options);

/* --- What it writes: heap_record.c --- */

/*
 * The reports as a file for perf: an event for each kind of report, with the fields object, size,
 * offset and age, and two whose period is bytes: heap:peak, what was live when the most was, and
 * heap:live, at the end, by who allocated it.
 */

/* The path of the file. */
const char *heap_record_output(const struct pitot_options *options);

int heap_record_create(const struct pitot_options *options, const struct kernel *kernel,
                       struct refusal *why);

/* A report: when it is first seen, and again with the number of later hits. */
int heap_record_report(const struct wire_heap *report, uint64_t hits, struct refusal *why);

int heap_record_live(const struct wire_live *live, struct refusal *why);

int heap_record_close(const struct command *command, const struct watch *watch,
                      struct refusal *why);

/* --- What debug information says of functions: inlining.c --- */

/* Rust's Layout, as an argument: two registers in the order of its members, which rustc chooses. */
enum inlining_layout { LAYOUT_NOT_KNOWN, LAYOUT_SIZE_FIRST, LAYOUT_SIZE_LAST };

struct inlining {
    uint64_t entry; /* of the function, in the file */
    bool described; /* it is found */
    bool changed;   /* it does not take its arguments as the calling convention says */
    enum inlining_layout layout;
    unsigned copies; /* of its code, elsewhere */
    uint64_t copy;   /* where the first of them is */
};

/*
 * Completes what is known of each function in the array, whose elements are `size` bytes apart.
 * `is_own`: copies in code at this address do not count.
 */
void inlining_read(const struct kernel *kernel, struct inlining *first, size_t count, size_t size,
                   bool (*is_own)(uint64_t address, const void *own), const void *own);

/* --- The allocators of this kernel: allocators.c --- */

/*
 * Those of --alloc, --realloc and --free, or else those whose names are known; their code, and what
 * debug information says of it.
 */

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

/* --- Those that are known by their names: allocator_names.c --- */

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

/* --- Their code: allocator_code.c --- */

/* Completes what is known of their code. */
void allocator_code_read(struct allocators *allocators, const struct kernel *kernel);

/*
 * Adds to the request these functions, and their code, its parts (.cold), and that of the functions
 * that match --allocator.
 */
int allocator_code_ask(const struct allocators *allocators, const struct pitot_options *options,
                       struct watch *watch, struct refusal *why);

/* Leaves the functions to watch, of those that are known by name and whose code is read. */
void allocator_rust_choose(struct allocators *allocators);
