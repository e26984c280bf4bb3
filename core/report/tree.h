/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The samples of one event as a tree of places: below the root what was hit, below each hit its
 * call chains, chains with the same beginning sharing it. A hit is told from others by one key or
 * by several, each a step of the tree: the last one's value stands for the hit. Lives wholly in
 * memory that the caller gives, grows with the number of distinct chains and not with that of
 * samples. Used by core/report/report.c; task context.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define REPORT_FILE_NONE    0u /* nothing is mapped there */
#define REPORT_FILE_KERNEL  1u
#define REPORT_FILE_TEXT    2u /* no place, but another key's value: told apart by its name, too */
#define REPORT_FILE_PROGRAM 3u /* the first; others follow */

#define REPORT_ROOT 0u /* also "none", as the root is no node's child or sibling */

struct tracepoint_field;

enum report_key_kind {
    REPORT_BY_SYMBOL,
    REPORT_BY_COMM,
    REPORT_BY_CPU,
    REPORT_BY_OBJECT, /* perf's dso: the file that the code is in */
    REPORT_BY_TID,
    REPORT_BY_FIELD,
    REPORT_BY_NOTHING, /* all samples are one line */
};

/* What lines are told apart by, one after the other (core/report/key.h). */
#define REPORT_KEYS_MAX 6
struct report_key {
    enum report_key_kind kind;
    const char *word;                     /* as it was given; of a field */
    const struct tracepoint_field *field; /* of the event at hand */
};
struct report_keys {
    struct report_key key[REPORT_KEYS_MAX];
    unsigned count;
};
#define REPORT_KEYS_SYMBOL                                                                         \
    {                                                                                              \
        .key = {{.kind = REPORT_BY_SYMBOL}}, .count = 1                                            \
    }

/* A place in the code: a function, or an address that lies in none. Or the value of a key. */
struct report_place {
    const char *name; /* NULL where no symbol is known */
    uint64_t address; /* the function's first, else the very address */
    unsigned file;    /* the file of that address: REPORT_FILE_... */
};

struct report_node {
    struct report_place place;
    uint64_t period;  /* sum over the samples here or below */
    uint64_t samples; /* how many those are */
    uint32_t parent, first_child, next_sibling, next_in_bucket;
    bool chain_end; /* some chain has its last place here */
    char level;     /* of a hit only: perf's mark for kernel (k) or user (.) */
    uint8_t depth;  /* below the root: those of as many as there are keys are hits */
};

struct report_tree {
    struct report_node *nodes;
    uint32_t node_count, node_limit, text_limit; /* names are kept between the two limits */
    struct report_keys keys;
    uint32_t *buckets; /* first node of each; nodes are found by parent and place */
    unsigned int bucket_bits;
};

/* False if the memory is too small for anything. */
bool report_tree_init(struct report_tree *tree, void *memory, size_t size);

void report_tree_clear(struct report_tree *tree, const struct report_keys *keys);

/*
 * The child of `parent` that stands for the place, made where there is none yet; REPORT_ROOT when
 * memory is used up.
 */
uint32_t report_tree_child(struct report_tree *tree, uint32_t parent, struct report_place place);

/* The hit's value of that key. */
const struct report_place *report_tree_value(const struct report_tree *tree, uint32_t hit,
                                             unsigned key);

/*
 * Brings the children of every node into the order in which perf prints them, all hits as the
 * root's.
 */
void report_tree_sort(struct report_tree *tree);
