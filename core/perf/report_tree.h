/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The samples of one event as a tree of places: below the root what was hit, below each hit its
 * call chains, chains with the same beginning sharing it. Lives wholly in memory that the caller
 * gives, grows with the number of distinct chains and not with that of samples. Used by
 * core/perf/report.c; task context.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define REPORT_FILE_NONE    0u /* nothing is mapped there */
#define REPORT_FILE_KERNEL  1u
#define REPORT_FILE_PROGRAM 2u /* the first; others follow */

#define REPORT_ROOT 0u /* also "none", as the root is nobody's child or sibling */

/* A place in the code: a function, or an address that lies in none. */
struct report_place {
    const char *name; /* NULL where no symbol is known */
    uint64_t address; /* the function's first, else the very address */
    unsigned file;    /* whose address that is: REPORT_FILE_... */
};

struct report_node {
    struct report_place place;
    uint64_t period;  /* sum over the samples here or below */
    uint64_t samples; /* how many those are */
    uint32_t parent, first_child, next_sibling, next_in_bucket;
    bool chain_end; /* some chain has its last place here */
    char level;     /* below the root only: perf's mark for kernel (k) or user (.) */
};

struct report_tree {
    struct report_node *nodes;
    uint32_t node_count, node_limit;
    uint32_t *buckets; /* first node of each; nodes are found by parent and place */
    unsigned int bucket_bits;
};

/* False if the memory is too small for anything. */
bool report_tree_init(struct report_tree *tree, void *memory, size_t size);

void report_tree_clear(struct report_tree *tree);

/*
 * The child of `parent` that stands for the place, made where there is none yet; REPORT_ROOT when
 * memory is used up.
 */
uint32_t report_tree_child(struct report_tree *tree, uint32_t parent, struct report_place place);

/* Brings the children of every node into the order in which perf prints them. */
void report_tree_sort(struct report_tree *tree);
