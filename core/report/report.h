/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * `perf report` in the kernel. After its first comment lines, the output equals line for line that
 * of the real `perf report --stdio --no-children --no-inline -g caller,0.5 -F overhead,sample,sym`,
 * but with the -g and the keys of `options`. Task context.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/lib/print.h"
#include "core/lib/refusal.h"
#include "core/sample/records.h"
#include "core/tracepoint/tracepoint.h"

enum report_key_kind {
    REPORT_BY_SYMBOL,
    REPORT_BY_COMM,
    REPORT_BY_CPU,
    REPORT_BY_OBJECT, /* perf's dso: the file that contains the code */
    REPORT_BY_TID,
    REPORT_BY_FIELD,
    REPORT_BY_NOTHING, /* all samples on one line */
};

/* Keys that distinguish lines, in order. */
#define REPORT_KEYS_MAX 6
struct report_key {
    enum report_key_kind kind;
    const char *word;                /* a field as typed */
    const struct pitot_field *field; /* of the current event */
};
struct report_keys {
    struct report_key key[REPORT_KEYS_MAX];
    unsigned count;
};
#define REPORT_KEYS_SYMBOL                                                                         \
    {                                                                                              \
        .key = {{.kind = REPORT_BY_SYMBOL}}, .count = 1                                            \
    }

struct report_options {
    bool dump;      /* print each record byte for byte instead (script.h) */
    bool last_boot; /* read the recording that survived a reset, not this boot's */
    bool callgraph; /* print call graphs, if the samples have chains */
    bool fractal;   /* percentages relative to the caller, not to the event (-g fractal) */
    bool caller;    /* outermost caller first (-g caller); otherwise the hit first (-g callee) */
    struct report_keys keys; /* hits are distinguished by these keys; at least one */
    unsigned max_stack;      /* addresses used per chain; CHAIN_WALK_MOST: all */
    /* Branches below this share of the event (fractal: of siblings) are omitted. In 1/10000 %. */
    uint32_t threshold;
};

/* Works in `memory`. Returns 0, or prints why and returns -ENOMEM or (no samples) -ENODATA. */
int report_print(struct sink *sink, struct record_source *source,
                 const struct report_options *options, void *memory, size_t size);

/* Checks that every field belongs to some event. */
int report_keys_check(const struct report_keys *keys, const struct record_source *source,
                      struct refusal *why);

/* --- The rest is for core/report/. --- */

/*
 * The samples of one event as a tree. It has one level per key; the nodes of the last key are the
 * hits. Below each hit are its call chains, which share common beginnings. The tree is in the
 * caller's memory and grows with distinct chains, not with samples.
 */

#define REPORT_FILE_NONE    0u /* no file is mapped at the address */
#define REPORT_FILE_KERNEL  1u
#define REPORT_FILE_TEXT    2u /* a key's value, compared by name as well */
#define REPORT_FILE_PROGRAM 3u /* the first program; others follow */

#define REPORT_ROOT 0u /* also "none": the root is never a child or sibling */

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

/* --- Sort keys, as in perf's --sort: each is a column of its own. --- */

#define REPORT_TEXT_SIZE 48 /* size of a printed value, including the NUL */

/* Returns the keys for the event: as in perf, only events that have a field have its column. */
struct report_keys report_keys_of_event(const struct report_keys *keys,
                                        const struct recorded_event *event);

/* Returns the sample's value for any key except the symbol; `text` receives the value's name. */
struct report_place report_key_place(const struct report_key *key, const struct sample_view *view,
                                     char text[static REPORT_TEXT_SIZE]);

/*
 * Return less than 0 if `a` is printed before `b`. If report_key_compare finds all keys equal,
 * report_key_compare_places decides: it orders functions of the same name by file, then by address
 * as a signed number.
 */
int report_key_compare(const struct report_key *key, const struct report_place *a,
                       const struct report_place *b);
int report_key_compare_places(const struct report_key *key, const struct report_place *a,
                              const struct report_place *b);

const char *report_key_heading(const struct report_key *key);

/* Return the minimum width of the column: for its heading, and for this value. */
size_t report_key_heading_width(const struct report_key *key);
size_t report_key_width(const struct report_key *key, const struct report_place *place);

/* Prints a value, padded to `width` except in the last column. `level`: see struct report_node. */
void report_key_print(struct sink *sink, const struct report_key *key,
                      const struct report_place *place, char level, size_t width, bool last);

/* For report_print: prints one event's heading, hits and call graphs. The tree must be sorted. */
void report_print_tree(struct sink *sink, const struct report_tree *tree, const char *event_name,
                       const struct report_options *options);
