/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The layout of `perf report --stdio`, column for column, with percentages of the whole event
 * ("graph" in perf's terms):
 *
 *     73.33%             9  [k] ring_reserve      a hit: per cent, samples, place
 *             |                                   depth 1: a bar as long as it has branches to come
 *             |--60.00%--vfs_write                a branch, then the places up to its next fork
 *             |          sys_write
 *             |          |
 *             |          |--40.00%--...           depth 2
 *
 * Called by core/perf/report.c; task context. Walks with a stack of its own: chains may be 127
 * places deep, the kernel's stack is not.
 */
#include "core/perf/report_print.h"

#include <linux/perf_event.h>

#include "core/perf/percent.h"
#include "core/perf/report_key.h"
#include "core/string.h"

#define GRAPH_INDENT 12
#define HUNDREDTHS   100u

/* A fork whose branches are being printed. */
struct fork {
    uint32_t branch; /* the next one */
    uint32_t bars;   /* bit i: depth i + 1 still has a bar */
};

struct printer {
    struct sink *sink;
    const struct report_tree *tree;
    const struct report_node *nodes;
    uint64_t least; /* branches with less are left out */
    int margin;     /* what the whole graph is moved right by */
    size_t width[REPORT_KEYS_MAX];
};

/* perf keeps its bars in an int and shifts by the depth, which the processor takes modulo 32. */
static uint32_t bar(unsigned int depth_index)
{
    return UINT32_C(1) << (depth_index % 32);
}

static void print_percent(const struct printer *printer, int width, uint64_t period)
{
    uint64_t hundredths = percent_hundredths(period, printer->nodes[REPORT_ROOT].period);

    print_to(printer->sink, "%*llu.%02llu%%", width, (unsigned long long)(hundredths / HUNDREDTHS),
             (unsigned long long)(hundredths % HUNDREDTHS));
}

/* As C's %#llx, which gives 0 no prefix. */
static void print_place(const struct printer *printer, const struct report_node *node)
{
    if (node->place.name != NULL)
        print_to(printer->sink, "%s\n", node->place.name);
    else
        print_to(printer->sink, "%s%llx\n", node->place.address ? "0x" : "",
                 (unsigned long long)node->place.address);
}

static void indent(const struct printer *printer)
{
    print_to(printer->sink, "%*s", GRAPH_INDENT + printer->margin, "");
}

/* The bars of the depths up to, and not with, `depth`. */
static void print_bars(const struct printer *printer, unsigned int depth, uint32_t bars)
{
    indent(printer);
    for (unsigned int i = 0; i < depth; i++)
        print_to(printer->sink, "%c          ", bars & bar(i) ? '|' : ' ');
}

/*
 * The branch if it is printed, else REPORT_ROOT, as siblings are sorted: behind one that is left
 * out all are.
 */
static uint32_t printed_from(const struct printer *printer, uint32_t branch)
{
    return printer->nodes[branch].period < printer->least ? REPORT_ROOT : branch;
}

/*
 * The node where the run of places ends that begins with this one: at a fork, or where chains
 * end. Branches that are left out make forks too.
 */
static uint32_t run_end(const struct printer *printer, uint32_t node)
{
    for (;;) {
        uint32_t child = printer->nodes[node].first_child;
        if (printer->nodes[node].chain_end || child == REPORT_ROOT ||
            printer->nodes[child].next_sibling != REPORT_ROOT)
            return node;
        node = child;
    }
}

/* Prints a branch up to its next fork, and returns the node that it ends with. */
static uint32_t print_branch(const struct printer *printer, uint32_t branch, unsigned int depth,
                             uint32_t bars)
{
    const struct report_node *nodes = printer->nodes;
    uint32_t end = run_end(printer, branch);

    print_bars(printer, depth - 1, bars);
    print_to(printer->sink, "%c--", bars & bar(depth - 1) ? '|' : ' ');
    print_percent(printer, 0, nodes[branch].period);
    print_to(printer->sink, "--");
    print_place(printer, &nodes[branch]);
    while (branch != end) {
        branch = nodes[branch].first_child;
        print_bars(printer, depth, bars);
        print_place(printer, &nodes[branch]);
    }
    return end;
}

static void print_forks(const struct printer *printer, uint32_t first_branch)
{
    struct fork forks[PERF_MAX_STACK_DEPTH + 1];
    unsigned int depth = 1;

    forks[0] = (struct fork){first_branch, bar(0)};
    while (depth > 0) {
        struct fork *fork = &forks[depth - 1];
        uint32_t branch = fork->branch;
        if (branch == REPORT_ROOT) {
            depth--;
            continue;
        }
        print_bars(printer, depth, fork->bars);
        print_to(printer->sink, "\n");
        fork->branch = printed_from(printer, printer->nodes[branch].next_sibling);
        if (fork->branch == REPORT_ROOT)
            fork->bars &= ~bar(depth - 1);
        uint32_t end = print_branch(printer, branch, depth, fork->bars);
        uint32_t next = printed_from(printer, printer->nodes[end].first_child);
        forks[depth] = (struct fork){next, fork->bars | bar(depth)};
        depth++;
    }
}

/*
 * Chains that all begin alike show that beginning without a per cent of its own, as a trunk.
 * Returns its end.
 */
static uint32_t print_trunk(struct printer *printer, uint32_t node)
{
    uint32_t end = run_end(printer, node);

    indent(printer);
    print_to(printer->sink, "|\n");
    indent(printer);
    print_to(printer->sink, "---");
    printer->margin = 3;
    print_place(printer, &printer->nodes[node]);
    while (node != end) {
        node = printer->nodes[node].first_child;
        indent(printer);
        print_place(printer, &printer->nodes[node]);
    }
    return end;
}

static void print_graph(struct printer *printer, const struct report_node *hit)
{
    const struct report_node *nodes = printer->nodes;
    uint32_t first = printed_from(printer, hit->first_child);

    if (first == REPORT_ROOT)
        return;
    printer->margin = 0;
    bool alone = printed_from(printer, nodes[first].next_sibling) == REPORT_ROOT;
    if (alone && nodes[first].period == hit->period)
        first = printed_from(printer, nodes[print_trunk(printer, first)].first_child);
    print_forks(printer, first);
    print_to(printer->sink, "\n");
}

static void print_hit(const struct printer *printer, uint32_t hit)
{
    const struct report_keys *keys = &printer->tree->keys;
    const struct report_node *node = &printer->nodes[hit];

    print_percent(printer, 6, node->period);
    print_to(printer->sink, "  %12llu", (unsigned long long)node->samples);
    for (unsigned i = 0; i < keys->count; i++) {
        print_to(printer->sink, "  ");
        report_key_print(printer->sink, &keys->key[i], report_tree_value(printer->tree, hit, i),
                         node->level, printer->width[i], i + 1 == keys->count);
    }
    print_to(printer->sink, "\n");
}

/* "812 ", "1K", "20M": perf's way to say how many. */
static void print_sample_count(struct sink *sink, uint64_t samples, const char *event_name)
{
    static const char units[] = " KMG";
    const char *unit = units;

    while (samples > 1000 && unit[1] != '\0') {
        samples /= 1000;
        unit++;
    }
    print_to(sink, "# Samples: %llu%c of event '%s'\n", (unsigned long long)samples, *unit,
             event_name);
}

static void find_widths(struct printer *printer)
{
    const struct report_node *nodes = printer->nodes;
    const struct report_keys *keys = &printer->tree->keys;

    for (unsigned k = 0; k < keys->count; k++) {
        size_t widest = report_key_heading_width(&keys->key[k]);

        for (uint32_t i = nodes[REPORT_ROOT].first_child; i != REPORT_ROOT;
             i = nodes[i].next_sibling) {
            size_t width = report_key_width(&keys->key[k], report_tree_value(printer->tree, i, k));
            widest = width > widest ? width : widest;
        }
        printer->width[k] = widest;
    }
}

static void print_heading(const struct printer *printer, const char *event_name)
{
    const struct report_node *root = &printer->nodes[REPORT_ROOT];
    const struct report_keys *keys = &printer->tree->keys;

    print_sample_count(printer->sink, root->samples, event_name);
    print_to(printer->sink, "# Event count (approx.): %llu\n#\n", (unsigned long long)root->period);
    print_to(printer->sink, "# Overhead       Samples");
    for (unsigned i = 0; i < keys->count; i++)
        print_to(printer->sink, report_key_is_left(&keys->key[i]) ? "  %-*s" : "  %*s",
                 (int)printer->width[i], report_key_heading(&keys->key[i]));
    print_to(printer->sink, "\n# ........  ............");
    for (unsigned i = 0; i < keys->count; i++) {
        print_to(printer->sink, "  ");
        for (size_t left = printer->width[i]; left > 0; left--)
            print_to(printer->sink, ".");
    }
    print_to(printer->sink, "\n#\n");
}

void report_print_tree(struct sink *sink, const struct report_tree *tree, const char *event_name,
                       uint64_t least)
{
    struct printer printer = {.sink = sink, .tree = tree, .nodes = tree->nodes, .least = least};
    uint32_t hit = tree->nodes[REPORT_ROOT].first_child;

    find_widths(&printer);
    print_heading(&printer, event_name);
    for (; hit != REPORT_ROOT; hit = tree->nodes[hit].next_sibling) {
        print_hit(&printer, hit);
        print_graph(&printer, &tree->nodes[hit]);
    }
    print_to(sink, "\n");
}
