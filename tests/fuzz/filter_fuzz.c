/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Filters, from any text and from expressions. libFuzzer's bytes become a tracepoint, a record, and
 * either a tree of comparisons, written in one of several ways, or such a text with random
 * characters in it. An accepted filter reads only the record and stays within its limits; a tree
 * within the limits is accepted, and matches exactly if the tree, evaluated branch by branch, is
 * true. Patterns must match as with fnmatch. Run by tests/host/fuzz.t (docs/proof.md).
 *
 * links: core/tracepoint/filter.c core/tracepoint/field.c core/lib/glob.c core/lib/number.c core/lib/refusal.c core/lib/words.c core/lib/print.c tests/unit/fake_task.c tests/fuzz/feed.c tests/fuzz/made_tracepoint.c tests/unit/fake_preempt.c tests/unit/fake_cpu.c core/host.c
 */
#include <fnmatch.h>

#include "core/host.h"
#include "core/lib/glob.h"
#include "core/task.h"
#include "core/tracepoint/filter.h"
#include "tests/fuzz/claim.h"
#include "tests/fuzz/feed.h"
#include "tests/fuzz/made_tracepoint.h"
#include "tests/unit/fake_task.h"

#define NODES_MOST 24
#define TEXT_MOST  (FILTER_TEXT_MAX + 2) /* more than is allowed */

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* Removes '[', which only fnmatch supports, and its backslash. */
static bool fnmatch_says(const char *pattern, const char *text)
{
    char copy[256];

    snprintf(copy, sizeof(copy), "%s", pattern);
    for (char *at = copy; *at; at++)
        if (*at == '[')
            *at = 'b';
    return fnmatch(copy, text, FNM_NOESCAPE) == 0;
}

static bool has_bracket(const char *pattern)
{
    return strchr(pattern, '[');
}

/* --- A tree of comparisons, and its value for a record. --- */

enum node_kind { COMPARISON, BOTH, EITHER, NOT };

struct node {
    enum node_kind kind;
    const struct node *left, *right; /* NOT has a left one only */
    const struct pitot_field *field;
    const struct pitot_field *other; /* what it is compared with; NULL: a number or a text */
    unsigned operator;               /* index in `operators` */
    __int128 number;
    char text[TEXT_MOST + 1];
};

static const char *const operators[] = {"==", "!=", "<", "<=", ">", ">=", "&", "~"};

static const struct pitot_field common[] = {
    {"common_type", "", TRACEPOINT_u32, offsetof(struct tracepoint_head, common_type), 2},
    {"common_flags", "", TRACEPOINT_u32, offsetof(struct tracepoint_head, common_flags), 1},
    {"common_preempt_count", "", TRACEPOINT_u32,
     offsetof(struct tracepoint_head, common_preempt_count), 1},
    {"common_pid", "", TRACEPOINT_s32, offsetof(struct tracepoint_head, common_pid), 4},
    {"common_tgid", "", TRACEPOINT_s32, offsetof(struct tracepoint_head, common_tgid), 4},
    {"comm", "", TRACEPOINT_text, 0, 0},
};

#define NUMBERS 5 /* common ones first */

static struct node nodes[NODES_MOST];
static unsigned node_count;

static bool is_signed(const struct pitot_field *field)
{
    return field->kind == TRACEPOINT_s32 || field->kind == TRACEPOINT_s64 ||
           field->kind == TRACEPOINT_state;
}

static const struct node *feed_comparison(const struct pitot_tracepoint *tracepoint,
                                          struct feed *feed)
{
    struct node *node = &nodes[node_count++];
    uint8_t choice = feed_byte(feed);
    uint64_t number;

    *node = (struct node){.kind = COMPARISON};
    node->field = choice < 0xc0 ? &tracepoint->field[choice % tracepoint->field_count]
                                : &common[choice % (sizeof(common) / sizeof(common[0]))];
    if (node->field->kind == TRACEPOINT_text) {
        node->operator=(const unsigned[]){0, 1, 7}[feed_byte(feed) % 3];
        feed_text(feed, node->text, TEXT_MOST);
        for (char *at = node->text; *at; at++)
            *at = *at == '"' || *at == '[' ? '*' : *at;
        return node;
    }
    node->operator= feed_byte(feed) % 7;
    choice = feed_byte(feed);
    if (choice % 4 == 0)
        node->other = &common[choice / 4 % NUMBERS];
    else if (choice % 4 == 1)
        node->other = &tracepoint->field[choice / 4 % tracepoint->field_count];
    if (node->other && node->other->kind == TRACEPOINT_text)
        node->other = NULL;
    if (node->other)
        return node;
    number = feed_value(feed);
    node->number = is_signed(node->field) ? (__int128)(int64_t)number : (__int128)number;
    return node;
}

static const struct node *feed_tree(const struct pitot_tracepoint *tracepoint, struct feed *feed)
{
    uint8_t kind = feed_byte(feed) % 4;
    struct node *node;

    /* Comparisons need room as well: one for each operator with two sides, and the last. */
    if (kind == COMPARISON || node_count >= NODES_MOST / 2 - 1)
        return feed_comparison(tracepoint, feed);
    node = &nodes[node_count++];
    *node = (struct node){.kind = kind};
    node->left = feed_tree(tracepoint, feed);
    if (kind != NOT)
        node->right = feed_tree(tracepoint, feed);
    return node;
}

static __int128 value_of(const struct pitot_field *field, const char *record)
{
    union {
        uint8_t u8;
        uint16_t u16;
        uint32_t u32;
        int32_t s32;
        uint64_t u64;
        int64_t s64;
    } value;

    memcpy(&value, record + field->offset, field->size);
    switch (field->size) {
    case 1:
        return value.u8;
    case 2:
        return value.u16;
    case 4:
        return is_signed(field) ? (__int128)value.s32 : (__int128)value.u32;
    default:
        return is_signed(field) ? (__int128)value.s64 : (__int128)value.u64;
    }
}

static bool compare_texts(const struct node *node, const char *text)
{
    if (node->operator== 7)
        return fnmatch_says(node->text, text);
    return (strcmp(node->text, text) == 0) == (node->operator== 0);
}

static bool compare_numbers(const struct node *node, __int128 value)
{
    switch (node->operator) {
    case 0:
        return value == node->number;
    case 1:
        return value != node->number;
    case 2:
        return value < node->number;
    case 3:
        return value <= node->number;
    case 4:
        return value > node->number;
    case 5:
        return value >= node->number;
    default:
        return (uint64_t)value & (uint64_t)node->number;
    }
}

/* Compares 64-bit values; the first field determines whether they are signed. */
static bool compare_fields(const struct node *node, const char *record)
{
    struct node with = *node;
    uint64_t other = (uint64_t)value_of(node->other, record);

    with.number = is_signed(node->field) ? (__int128)(int64_t)other : (__int128)other;
    return compare_numbers(&with, value_of(node->field, record));
}

static bool tree_says(const struct node *node, const char *record)
{
    switch (node->kind) {
    case BOTH:
        return tree_says(node->left, record) && tree_says(node->right, record);
    case EITHER:
        return tree_says(node->left, record) || tree_says(node->right, record);
    case NOT:
        return !tree_says(node->left, record);
    default:
        if (node->field == &common[5])
            return compare_texts(node, task_name());
        if (node->field->kind == TRACEPOINT_text)
            return compare_texts(node, record + node->field->offset);
        if (node->other)
            return compare_fields(node, record);
        return compare_numbers(node, value_of(node->field, record));
    }
}

/* --- The tree as text, and the limits that it needs. --- */

struct writing {
    struct feed *feed;
    char text[4096];
    size_t length;
    unsigned nested; /* parentheses and ! around this place, */
    unsigned nested_most;
    unsigned steps;
    unsigned waiting, waiting_most;
    bool long_text;
};

static void write_word(struct writing *writing, const char *word)
{
    unsigned blanks = feed_byte(writing->feed) % 8;

    for (unsigned i = 6; i < blanks; i++)
        writing->text[writing->length++] = ' ';
    CLAIM(writing->length + strlen(word) < sizeof(writing->text));
    strcpy(writing->text + writing->length, word);
    writing->length += strlen(word);
}

static void write_comparison(struct writing *writing, const struct node *node)
{
    uint8_t choice = feed_byte(writing->feed);
    bool minus = node->number < 0;
    uint64_t number = minus ? 0 - (uint64_t)node->number : (uint64_t)node->number;
    char word[64];

    write_word(writing, node->field->name);
    write_word(writing, operators[node->operator]);
    if (node->field->kind == TRACEPOINT_text) {
        writing->long_text |= strlen(node->text) >= FILTER_TEXT_MAX;
        snprintf(word, sizeof(word), "\"%s\"", node->text);
    } else if (node->other) {
        snprintf(word, sizeof(word), "%s", node->other->name);
    } else {
        if (minus)
            write_word(writing, "-");
        snprintf(word, sizeof(word), choice & 1 ? "0x%llx" : "%llu", (unsigned long long)number);
    }
    write_word(writing, word);
    writing->steps++;
    writing->waiting++;
    if (writing->waiting > writing->waiting_most)
        writing->waiting_most = writing->waiting;
}

static void write_tree(struct writing *writing, const struct node *node, enum node_kind inside);

/* Writes `!` or `(`, which nest. */
static void write_nested(struct writing *writing, const char *open, const struct node *node,
                         enum node_kind inside)
{
    write_word(writing, open);
    if (++writing->nested > writing->nested_most)
        writing->nested_most = writing->nested;
    write_tree(writing, node, inside);
    writing->nested--;
}

static void write_operator(struct writing *writing, const struct node *node, const char *word)
{
    /* Left-associative: a right side of the same kind needs parentheses. */
    write_tree(writing, node->left, node->kind);
    write_word(writing, word);
    write_tree(writing, node->right, NOT);
    writing->steps++;
    writing->waiting--;
}

/* `inside` is the context: EITHER allows everything, BOTH everything but an EITHER, NOT neither. */
static void write_tree(struct writing *writing, const struct node *node, enum node_kind inside)
{
    bool weak = (node->kind == EITHER && inside != EITHER) || (node->kind == BOTH && inside == NOT);

    if (weak || feed_byte(writing->feed) % 16 == 15) {
        write_nested(writing, "(", node, EITHER);
        write_word(writing, ")");
    } else if (node->kind == COMPARISON) {
        write_comparison(writing, node);
    } else if (node->kind == NOT) {
        write_nested(writing, "!", node->left, NOT);
        writing->steps++;
    } else {
        write_operator(writing, node, node->kind == BOTH ? "&&" : "||");
    }
}

static bool within_limits(const struct writing *writing)
{
    return writing->steps <= FILTER_STEPS_MAX && writing->nested_most <= FILTER_DEPTH_MAX &&
           writing->waiting_most <= FILTER_DEPTH_MAX && !writing->long_text;
}

/* --- What must hold. --- */

static bool is_inside(const struct field_place *field, const struct pitot_tracepoint *tracepoint)
{
    if (field->source == FIELD_HEAD)
        return field->place + field->size <= sizeof(struct tracepoint_head);
    return field->source == FIELD_COMM ||
           (field->source == FIELD_ARGUMENT && field->place < tracepoint->field_count);
}

static void check_program(const struct filter *filter, const struct pitot_tracepoint *tracepoint)
{
    unsigned waiting = 0;

    CLAIM(filter->count > 0 && filter->count <= FILTER_STEPS_MAX);
    for (unsigned i = 0; i < filter->count; i++) {
        const struct filter_step *step = &filter->step[i];

        CLAIM(step->operation <= FILTER_NOT);
        if (step->operation >= FILTER_AND) {
            CLAIM(waiting >= (step->operation == FILTER_NOT ? 1 : 2));
            waiting -= step->operation != FILTER_NOT;
            continue;
        }
        waiting++;
        CLAIM(waiting <= FILTER_DEPTH_MAX);
        CLAIM(is_inside(&step->field, tracepoint));
        CLAIM(!step->with_field || is_inside(&step->other, tracepoint));
        if (step->field.kind == TRACEPOINT_text)
            CLAIM(memchr(step->text, '\0', sizeof(step->text)));
    }
    CLAIM(waiting == 1);
}

/* In memory that ends with it. 0 or the refusal's error. */
static int compile(struct filter *filter, const char *text,
                   const struct pitot_tracepoint *tracepoint)
{
    char *copy = strdup(text);
    struct refusal why;
    int error;

    refusal_spoil(&why);
    memset(filter, 0xa5, sizeof(*filter));
    filter->count = 0;
    error = filter_add(filter, copy, tracepoint, &why);
    free(copy);
    if (error)
        claim_refused(error, &why);
    else
        check_program(filter, tracepoint);
    return error;
}

static void check_tree(const struct made_tracepoint *made, struct feed *feed)
{
    static struct writing writing;
    const struct node *tree;
    struct filter filter;
    struct made_record record;
    unsigned edits = feed_byte(feed) % 8;
    bool edited = edits > 4;

    node_count = 0;
    made_record_feed(&record, made, feed);
    tree = feed_tree(&made->tracepoint, feed);
    memset(&writing, 0, sizeof(writing));
    writing.feed = feed;
    write_tree(&writing, tree, EITHER);
    for (; edits > 4; edits--)
        writing.text[feed_number(feed, 2) % writing.length] = (char)(' ' + feed_byte(feed) % 95);
    if (compile(&filter, writing.text, &made->tracepoint) == 0) {
        CLAIM(edited || within_limits(&writing));
        CLAIM(filter_passes(&filter, &record.hit) ==
                  tree_says(tree, (const char *)&record.raw->head) ||
              edited);
    } else {
        CLAIM(edited || !within_limits(&writing));
    }
    free(record.memory);
}

static void check_pattern(struct feed *feed)
{
    char pattern[24], text[24];

    feed_text(feed, pattern, sizeof(pattern) - 1);
    feed_text(feed, text, sizeof(text) - 1);
    if (!has_bracket(pattern))
        CLAIM(glob_match(pattern, text) == fnmatch_says(pattern, text));
    CLAIM(glob_is_pattern(pattern) || glob_match(pattern, text) == !strcmp(pattern, text));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct feed feed = {.bytes = bytes, .left = size};
    struct made_tracepoint made;
    struct filter filter;
    struct made_record record;
    char comm[TASK_NAME_SIZE], text[128];
    uint8_t choice = feed_byte(&feed);

    if (choice >= 0xe0) {
        check_pattern(&feed);
        return 0;
    }
    feed_text(&feed, comm, sizeof(comm) - 1);
    fake_task_rename(comm);
    made_tracepoint_feed(&made, 0, &feed);
    if (choice < 0xc0) {
        check_tree(&made, &feed);
        return 0;
    }
    made_record_feed(&record, &made, &feed);
    feed_text(&feed, text, sizeof(text) - 1);
    if (compile(&filter, text, &made.tracepoint) == 0)
        filter_passes(&filter, &record.hit);
    free(record.memory);
    return 0;
}
