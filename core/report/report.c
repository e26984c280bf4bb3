/* SPDX-License-Identifier: BSD-2-Clause */
/* See report.h. One pass per event builds a tree, which is sorted. Rules of perf: docs/perf.md. */
#include "core/report/report.h"

#include <linux/errno.h>

#include "core/symbols/symbols.h"

/*
 * As in perf, return addresses are not adjusted, and a hit in a program, outside all symbols, is
 * shown by its offset in the file.
 */
static struct report_place place_of(uint64_t address, uint32_t pid, bool hit)
{
    struct user_place place = {.named = false};
    unsigned file = REPORT_FILE_NONE;

    if (!user_place_possible(address)) {
        place.named = symbols_find_address(address, &place.symbol);
        file = REPORT_FILE_KERNEL;
    } else if (user_place_find(pid, address, &place)) {
        file = REPORT_FILE_PROGRAM + place.program;
        address = hit ? place.file_offset : address;
    }
    if (place.named)
        return (struct report_place){place.symbol.name, place.symbol.address, file};
    return (struct report_place){NULL, address, file};
}

static char level_of(const struct perf_event_header *record)
{
    unsigned mode = record->misc & PERF_RECORD_MISC_CPUMODE_MASK;

    return mode == PERF_RECORD_MISC_KERNEL ? 'k' : mode == PERF_RECORD_MISC_USER ? '.' : 'H';
}

/* Counts the sample at a child of `parent`. Returns it, or REPORT_ROOT if memory is exhausted. */
static uint32_t count_at(struct report_tree *tree, uint32_t parent, struct report_place place,
                         const struct sample_view *view)
{
    uint32_t child = report_tree_child(tree, parent, place);

    if (child != REPORT_ROOT) {
        tree->nodes[child].period += view->period;
        tree->nodes[child].samples++;
    }
    return child;
}

/*
 * Counts the hit at one node per key. Returns the last of these nodes, or REPORT_ROOT if memory is
 * exhausted.
 */
static uint32_t count_hit(struct report_tree *tree, const struct sample_view *view)
{
    char text[REPORT_TEXT_SIZE];
    uint32_t node = REPORT_ROOT;

    for (unsigned i = 0; i < tree->keys.count; i++) {
        const struct report_key *key = &tree->keys.key[i];
        struct report_place place = key->kind == REPORT_BY_SYMBOL
                                        ? place_of(view->ip, view->pid, true)
                                        : report_key_place(key, view, text);

        node = count_at(tree, node, place, view);
        if (node == REPORT_ROOT)
            break;
    }
    return node;
}

static bool add_chain(struct report_tree *tree, uint32_t hit, const struct sample_view *view,
                      const struct report_options *options)
{
    struct chain_walk walk;
    uint32_t node = hit;
    uint64_t address;

    chain_walk_start(&walk, view, options->caller, options->max_stack);
    while (chain_walk_next(&walk, &address)) {
        node = count_at(tree, node, place_of(address, view->pid, false), view);
        if (node == REPORT_ROOT)
            return false;
    }
    if (node != hit)
        tree->nodes[node].chain_end = true;
    return true;
}

static bool add_sample(struct report_tree *tree, const struct sample_view *view, char level,
                       const struct report_options *options)
{
    uint32_t hit = count_hit(tree, view);

    if (hit == REPORT_ROOT)
        return false;
    if (tree->nodes[hit].samples == 1)
        tree->nodes[hit].level = level;
    if (options->callgraph && !add_chain(tree, hit, view, options))
        return false;
    tree->nodes[REPORT_ROOT].period += view->period;
    tree->nodes[REPORT_ROOT].samples++;
    return true;
}

/* Returns false if memory is exhausted. */
static bool add_samples(struct report_tree *tree, struct record_source *source,
                        const struct recorded_event *event, const struct report_options *options)
{
    struct report_keys keys = report_keys_of_event(&options->keys, event);
    const struct perf_event_header *record;
    struct sample_view view;

    report_tree_clear(tree, &keys);
    source->rewind(source);
    while ((record = source->next(source)) != NULL) {
        if (sample_view_parse(record, source->events, source->event_count, &view) &&
            view.event == event && !add_sample(tree, &view, level_of(record), options))
            return false;
    }
    return true;
}

static int say_too_small(struct sink *sink, size_t size, uint64_t fitted, const char *event_name)
{
    print_to(sink,
             "perf report: %zu bytes of memory hold only the first %llu samples of event '%s': "
             "record less, report without -g, or give the stream to perf on another machine\n",
             size, (unsigned long long)fitted, event_name);
    return -ENOMEM;
}

int report_print(struct sink *sink, struct record_source *source,
                 const struct report_options *options, void *memory, size_t size)
{
    struct report_tree tree;
    uint64_t samples = 0;

    if (!report_tree_init(&tree, memory, size))
        return say_too_small(sink, size, 0, source->event_count ? source->events[0].name : "");
    for (size_t i = 0; i < source->event_count; i++) {
        const struct recorded_event *event = &source->events[i];

        if (!add_samples(&tree, source, event, options))
            return say_too_small(sink, size, tree.nodes[REPORT_ROOT].samples, event->name);
        if (event->doubtful)
            print_to(sink, "# Not exact: up to %llu more hits of event '%s'\n",
                     (unsigned long long)event->doubtful, event->name);
        if (tree.nodes[REPORT_ROOT].samples == 0)
            continue;
        report_tree_sort(&tree);
        report_print_tree(sink, &tree, event->name, options);
        samples += tree.nodes[REPORT_ROOT].samples;
    }
    if (samples > 0)
        return 0;
    print_to(sink, "perf report: the recording has no samples\n");
    return -ENODATA;
}
