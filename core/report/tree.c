/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The tree of report.h. Nodes fill an array from the front, names from the end. A hash table finds
 * a node's child, as there may be very many. Lists of siblings are sorted once, at the end.
 */
#include "core/report/report.h"

#include "core/lib/assert.h"
#include "core/lib/string.h"

#define BUCKET_BITS_MOST 24

bool report_tree_init(struct report_tree *tree, void *memory, size_t size)
{
    size_t skew = -(uintptr_t)memory % _Alignof(struct report_node);

    if (size < skew + sizeof(struct report_node) + sizeof(uint32_t))
        return false;
    size -= skew;

    /* As many buckets as nodes, rounded down to a power of two; nodes use the rest. */
    size_t pairs = size / (sizeof(struct report_node) + sizeof(uint32_t));
    unsigned int bits = 0;
    while (bits < BUCKET_BITS_MOST && (size_t)2 << bits <= pairs)
        bits++;
    size_t nodes = (size - (sizeof(uint32_t) << bits)) / sizeof(struct report_node);

    tree->nodes = (struct report_node *)((char *)memory + skew);
    tree->text_limit = nodes < UINT32_MAX ? (uint32_t)nodes : UINT32_MAX;
    tree->buckets = (uint32_t *)(tree->nodes + tree->text_limit);
    tree->bucket_bits = bits;
    return true;
}

void report_tree_clear(struct report_tree *tree, const struct report_keys *keys)
{
    assert(keys->count > 0 && keys->count <= REPORT_KEYS_MAX);
    tree->keys = *keys;
    tree->node_limit = tree->text_limit;
    memset(tree->buckets, 0, sizeof(uint32_t) << tree->bucket_bits);
    tree->nodes[REPORT_ROOT] = (struct report_node){.place = {NULL, 0, REPORT_FILE_NONE}};
    tree->node_count = 1;
}

static uint32_t *bucket_of(const struct report_tree *tree, uint32_t parent, uint64_t address)
{
    /* Multiplication by odd numbers spreads the bits upwards; the upper bits choose the bucket. */
    uint64_t mixed =
        (address + parent * UINT64_C(0xd6e8feb86659fd93)) * UINT64_C(0x9e3779b97f4a7c15);

    return &tree->buckets[(mixed >> 32) & ((UINT64_C(1) << tree->bucket_bits) - 1)];
}

/* Copies the name of a key's value, which is lost with the sample, to a node at the array's end. */
_Static_assert(REPORT_TEXT_SIZE <= sizeof(struct report_node), "one node holds a name");

static const char *keep_text(struct report_tree *tree, const char *text)
{
    char *kept = (char *)&tree->nodes[--tree->node_limit];

    assert(tree->node_limit >= tree->node_count && strlen(text) < sizeof(struct report_node));
    memcpy(kept, text, strlen(text) + 1);
    return kept;
}

static bool same_place(const struct report_place *a, const struct report_place *b)
{
    return a->address == b->address && a->file == b->file &&
           (a->file != REPORT_FILE_TEXT || strcmp(a->name, b->name) == 0);
}

/*
 * Places of one file are compared by address alone: an address without a symbol is never the first
 * address of a function.
 */
uint32_t report_tree_child(struct report_tree *tree, uint32_t parent, struct report_place place)
{
    uint32_t *bucket = bucket_of(tree, parent, place.address);

    assert(parent < tree->node_count && tree->nodes[parent].depth < UINT8_MAX);
    for (uint32_t i = *bucket; i != REPORT_ROOT; i = tree->nodes[i].next_in_bucket) {
        const struct report_node *node = &tree->nodes[i];

        if (node->parent == parent && same_place(&node->place, &place))
            return i;
    }
    bool is_text = place.file == REPORT_FILE_TEXT;
    if (tree->node_limit - tree->node_count < 1u + is_text)
        return REPORT_ROOT;
    if (is_text)
        place.name = keep_text(tree, place.name);

    uint32_t child = tree->node_count++;
    tree->nodes[child] = (struct report_node){
        .place = place,
        .parent = parent,
        .next_sibling = tree->nodes[parent].first_child,
        .next_in_bucket = *bucket,
        .depth = (uint8_t)(tree->nodes[parent].depth + 1),
    };
    tree->nodes[parent].first_child = child;
    *bucket = child;
    return child;
}

const struct report_place *report_tree_value(const struct report_tree *tree, uint32_t hit,
                                             unsigned key)
{
    assert(key < tree->keys.count && tree->nodes[hit].depth == tree->keys.count);
    for (unsigned at = tree->keys.count - 1; at > key; at--)
        hit = tree->nodes[hit].parent;
    return &tree->nodes[hit].place;
}

/* Orders hits by period, then by samples, then by keys. */
static bool hit_precedes(const struct report_tree *tree, uint32_t first, uint32_t second)
{
    const struct report_node *a = &tree->nodes[first], *b = &tree->nodes[second];
    int order = 0;

    if (a->period != b->period)
        return a->period > b->period;
    if (a->samples != b->samples)
        return a->samples > b->samples;
    for (unsigned i = 0; i < tree->keys.count && !order; i++)
        order = report_key_compare(&tree->keys.key[i], report_tree_value(tree, first, i),
                                   report_tree_value(tree, second, i));
    for (unsigned i = 0; i < tree->keys.count && !order; i++)
        order = report_key_compare_places(&tree->keys.key[i], report_tree_value(tree, first, i),
                                          report_tree_value(tree, second, i));
    return order < 0;
}

/*
 * Orders sibling branches: the larger period first, then the file that perf saw later, then the
 * higher address.
 */
static bool branch_precedes(const struct report_tree *tree, uint32_t first, uint32_t second)
{
    const struct report_node *a = &tree->nodes[first], *b = &tree->nodes[second];

    if (a->period != b->period)
        return a->period > b->period;
    if (a->place.file != b->place.file)
        return a->place.file > b->place.file;
    return a->place.address > b->place.address;
}

typedef bool precedes_function(const struct report_tree *tree, uint32_t first, uint32_t second);

static uint32_t merge(struct report_tree *tree, uint32_t a, uint32_t b, precedes_function *precedes)
{
    uint32_t first = REPORT_ROOT;
    uint32_t *link = &first;

    while (a != REPORT_ROOT && b != REPORT_ROOT) {
        uint32_t *smaller = precedes(tree, b, a) ? &b : &a;

        *link = *smaller;
        link = &tree->nodes[*smaller].next_sibling;
        *smaller = *link;
    }
    *link = a != REPORT_ROOT ? a : b;
    return first;
}

/* Merge sort without recursion: runs[i] is a sorted list of 2^i nodes, or empty. */
static uint32_t sort_siblings(struct report_tree *tree, uint32_t list, precedes_function *precedes)
{
    struct report_node *nodes = tree->nodes;
    uint32_t runs[32] = {REPORT_ROOT};

    while (list != REPORT_ROOT) {
        uint32_t run = list;
        unsigned int i = 0;
        list = nodes[run].next_sibling;
        nodes[run].next_sibling = REPORT_ROOT;
        for (; runs[i] != REPORT_ROOT; i++) {
            run = merge(tree, runs[i], run, precedes);
            runs[i] = REPORT_ROOT;
        }
        assert(i < sizeof(runs) / sizeof(runs[0])); /* node numbers have 32 bits */
        runs[i] = run;
    }
    for (unsigned int i = 0; i < sizeof(runs) / sizeof(runs[0]); i++)
        list = merge(tree, runs[i], list, precedes);
    return list;
}

/* Makes each hit a direct child of the root, and unlinks the levels of the keys in between. */
static void gather_hits(struct report_tree *tree)
{
    struct report_node *nodes = tree->nodes;

    nodes[REPORT_ROOT].first_child = REPORT_ROOT;
    for (uint32_t i = 1; i < tree->node_count; i++) {
        if (nodes[i].depth < tree->keys.count)
            nodes[i].first_child = REPORT_ROOT;
        if (nodes[i].depth != tree->keys.count)
            continue;
        nodes[i].next_sibling = nodes[REPORT_ROOT].first_child;
        nodes[REPORT_ROOT].first_child = i;
    }
}

void report_tree_sort(struct report_tree *tree)
{
    struct report_node *nodes = tree->nodes;

    gather_hits(tree);
    for (uint32_t i = 0; i < tree->node_count; i++) {
        precedes_function *precedes = i == REPORT_ROOT ? hit_precedes : branch_precedes;
        nodes[i].first_child = sort_siblings(tree, nodes[i].first_child, precedes);
    }
}
