/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The samples of one event as a tree. It has one level per key; the nodes of the last key are the
 * hits. Below each hit are its call chains, which share common beginnings. The tree is in the
 * caller's memory and grows with distinct chains, not with samples. For core/report/; task context.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define REPORT_FILE_NONE    0u /* no file is mapped at the address */
#define REPORT_FILE_KERNEL  1u
#define REPORT_FILE_TEXT    2u /* a key's value, compared by name as well */
#define REPORT_FILE_PROGRAM 3u /* the first program; others follow */

#define REPORT_ROOT 0u /* also "none": the root is never a child or sibling */

struct tracepoint_field;

enum report_key_kind {
    REPORT_BY_SYMBOL,
    REPORT_BY_COMM,
    REPORT_BY_CPU,
    REPORT_BY_OBJECT, /* perf's dso: the file that contains the code */
    REPORT_BY_TID,
    REPORT_BY_FIELD,
    REPORT_BY_NOTHING, /* all samples on one line */
};

/* Keys that distinguish lines, in order (core/report/key.h). */
#define REPORT_KEYS_MAX 6
struct report_key {
    enum report_key_kind kind;
    const char *word;                     /* a field as typed */
    const struct tracepoint_field *field; /* of the current event */
};
struct report_keys {
    struct report_key key[REPORT_KEYS_MAX];
    unsigned count;
};
#define REPORT_KEYS_SYMBOL                                                                         \
    {                                                                                              \
        .key = {{.kind = REPORT_BY_SYMBOL}}, .count = 1                                            \
    }

/* A function, an address outside all functions, or the value of a key. */
struct report_place {
    const char *name; /* NULL if no symbol is known */
    uint64_t address; /* the function's first address, or the exact address */
    unsigned file;    /* REPORT_FILE_... */
};

struct report_node {
    struct report_place place;
    uint64_t period;  /* sum over the samples at or below this node */
    uint64_t samples; /* number of these samples */
    uint32_t parent, first_child, next_sibling, next_in_bucket;
    bool chain_end; /* some chain ends here */
    char level;     /* hits only: perf's mark for kernel (k) or user (.) */
    uint8_t depth;  /* levels below the root; hits are at the depth keys.count */
};

struct report_tree {
    struct report_node *nodes;
    uint32_t node_count, node_limit, text_limit; /* names lie between the two limits */
    struct report_keys keys;
    uint32_t *buckets; /* first node of each bucket; nodes are found by parent and place */
    unsigned int bucket_bits;
};

/* Returns false if the memory is too small to use. */
bool report_tree_init(struct report_tree *tree, void *memory, size_t size);

void report_tree_clear(struct report_tree *tree, const struct report_keys *keys);

/* Finds or creates the child of `parent` for the place. REPORT_ROOT: memory is exhausted. */
uint32_t report_tree_child(struct report_tree *tree, uint32_t parent, struct report_place place);

/* Returns the hit's value for the key with this index. */
const struct report_place *report_tree_value(const struct report_tree *tree, uint32_t hit,
                                             unsigned key);

/* Makes all hits children of the root, and sorts all children in perf's order. */
void report_tree_sort(struct report_tree *tree);
