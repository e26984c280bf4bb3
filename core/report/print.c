/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * report_print_tree of report.h, column for column as `perf report --stdio` prints:
 *
 *     73.33%             9  [k] ring_output       a hit: per cent, samples, place
 *             |                                   depth 1: a bar while branches follow
 *             |--60.00%--vfs_write                a branch, then the places up to its next fork
 *             |          sys_write
 *             |          |
 *             |          |--40.00%--...           depth 2
 *
 * An explicit stack replaces recursion, as chains may be 127 places deep.
 */
#include "core/report/report.h"

#include <linux/perf_event.h>

#include "core/lib/string.h"
#include "core/report/percent.h"

#define GRAPH_INDENT 12

/* A fork whose branches are being printed. */
struct fork {
    uint32_t branch; /* the next branch */
    uint32_t bars;   /* bit i: depth i + 1 still has a bar */
    uint64_t total;  /* denominator of the branch percentages */
    uint64_t left;   /* part of `total` in later and omitted branches */
    uint64_t least;  /* branches below this are omitted */
};

struct printer {
    struct sink *sink;
    const struct report_tree *tree;
    const struct report_node *nodes;
    const struct report_options *options;
    int margin; /* additional indentation of the graph */
    size_t width[REPORT_KEYS_MAX];
};

/* perf shifts an int by the depth, which x86 takes modulo 32. */
static uint32_t bar(unsigned int depth_index)
{
    return UINT32_C(1) << (depth_index % 32);
}

static void print_percent(const struct printer *printer, int width, uint64_t period, uint64_t total)
{
    unsigned long long hundredths = percent_hundredths(period, total);

    print_to(printer->sink, "%*llu.%02llu%%", width, hundredths / 100, hundredths % 100);
}

/* Prints a name, or an address like C's %#llx, which prints 0 without a prefix. */
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

/* Prints the bars of depths 1 to `depth`. */
static void print_bars(const struct printer *printer, unsigned int depth, uint32_t bars)
{
    indent(printer);
    for (unsigned int i = 0; i < depth; i++)
        print_to(printer->sink, "%c          ", bars & bar(i) ? '|' : ' ');
}

/* Returns `branch`, or REPORT_ROOT if it is omitted: its later siblings are then omitted, too. */
static uint32_t printed_from(const struct printer *printer, uint32_t branch, uint64_t least)
{
    return printer->nodes[branch].period < least ? REPORT_ROOT : branch;
}

/* Returns the sum of the node's branches: its period without the chains that end at it. */
static uint64_t period_below(const struct printer *printer, uint32_t node)
{
    uint64_t sum = 0;

    for (uint32_t child = printer->nodes[node].first_child; child != REPORT_ROOT;
         child = printer->nodes[child].next_sibling)
        sum += printer->nodes[child].period;
    return sum;
}

/*
 * Returns the least period with which the node's branches are printed. perf rounds a share of the
 * event down, but a share of a node's branches up.
 */
static uint64_t least_below(const struct printer *printer, uint32_t node)
{
    uint64_t whole = printer->nodes[REPORT_ROOT].period, least;
    uint32_t threshold = printer->options->threshold;

    if (!printer->options->fractal)
        return percent_least(whole, threshold);
    whole = period_below(printer, node);
    least = percent_least(whole, threshold);
    return least + (least * 100 * PERCENT_UNITS < whole * threshold);
}

/* The fork where a branch ends. In fractal mode its percentages are relative to `total`. */
static struct fork fork_below(const struct printer *printer, uint32_t node, uint64_t total,
                              uint32_t bars)
{
    uint64_t least = least_below(printer, node);

    if (!printer->options->fractal)
        total = printer->nodes[REPORT_ROOT].period;
    return (struct fork){
        .branch = printed_from(printer, printer->nodes[node].first_child, least),
        .bars = bars,
        .total = total,
        .left = total,
        .least = least,
    };
}

/*
 * Returns the last node of the run. A run ends at a fork, even if its branches are omitted, or
 * where a chain ends.
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

static void print_branch_begin(const struct printer *printer, const struct fork *fork,
                               unsigned int depth, uint64_t period)
{
    print_bars(printer, depth - 1, fork->bars);
    print_to(printer->sink, "%c--", fork->bars & bar(depth - 1) ? '|' : ' ');
    print_percent(printer, 0, period, fork->total);
    print_to(printer->sink, "--");
}

/* Prints a branch up to its next fork, and returns its last node. */
static uint32_t print_branch(const struct printer *printer, uint32_t branch,
                             const struct fork *fork, unsigned int depth)
{
    const struct report_node *nodes = printer->nodes;
    uint32_t end = run_end(printer, branch);

    print_branch_begin(printer, fork, depth, nodes[branch].period);
    print_place(printer, &nodes[branch]);
    while (branch != end) {
        branch = nodes[branch].first_child;
        print_bars(printer, depth, fork->bars);
        print_place(printer, &nodes[branch]);
    }
    return end;
}

/* In fractal mode the omitted branches are shown as one remainder branch. */
static void print_left(const struct printer *printer, struct fork *fork, unsigned int depth)
{
    if (!printer->options->fractal || fork->left == 0 || fork->left == fork->total)
        return;
    fork->bars &= ~bar(depth - 1);
    print_branch_begin(printer, fork, depth, fork->left);
    print_to(printer->sink, "[...]\n");
}

static void print_forks(const struct printer *printer, struct fork first)
{
    static struct fork forks[PERF_MAX_STACK_DEPTH + 1]; /* large; one report at a time */
    unsigned int depth = 1;

    forks[0] = first;
    while (depth > 0) {
        struct fork *fork = &forks[depth - 1];
        uint32_t branch = fork->branch, end;

        if (branch == REPORT_ROOT) {
            print_left(printer, fork, depth);
            depth--;
            continue;
        }
        print_bars(printer, depth, fork->bars);
        print_to(printer->sink, "\n");
        fork->branch = printed_from(printer, printer->nodes[branch].next_sibling, fork->least);
        fork->left -= printer->nodes[branch].period;
        if (fork->branch == REPORT_ROOT && (!printer->options->fractal || fork->left == 0))
            fork->bars &= ~bar(depth - 1);
        end = print_branch(printer, branch, fork, depth);
        forks[depth] =
            fork_below(printer, end, period_below(printer, end), fork->bars | bar(depth));
        depth++;
    }
}

/* Prints the common beginning of all chains, without a percentage. Returns its last node. */
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

static void print_graph(struct printer *printer, uint32_t hit)
{
    const struct report_node *nodes = printer->nodes;
    struct fork fork = fork_below(printer, hit, nodes[hit].period, bar(0));
    uint32_t first = fork.branch;

    if (first == REPORT_ROOT)
        return;
    printer->margin = 0;
    bool alone = printed_from(printer, nodes[first].next_sibling, fork.least) == REPORT_ROOT;
    if (alone && nodes[first].period == nodes[hit].period)
        fork = fork_below(printer, print_trunk(printer, first), nodes[hit].period, bar(0));
    print_forks(printer, fork);
    print_to(printer->sink, "\n");
}

static void print_hit(const struct printer *printer, uint32_t hit)
{
    const struct report_keys *keys = &printer->tree->keys;
    const struct report_node *node = &printer->nodes[hit];

    print_percent(printer, 6, node->period, printer->nodes[REPORT_ROOT].period);
    print_to(printer->sink, "  %12llu", (unsigned long long)node->samples);
    for (unsigned i = 0; i < keys->count; i++) {
        print_to(printer->sink, "  ");
        report_key_print(printer->sink, &keys->key[i], report_tree_value(printer->tree, hit, i),
                         node->level, printer->width[i], i + 1 == keys->count);
    }
    print_to(printer->sink, "\n");
}

/* Prints the number as perf does: "812 ", "1K", "20M". */
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
        print_to(printer->sink, keys->key[i].kind != REPORT_BY_FIELD ? "  %-*s" : "  %*s",
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
                       const struct report_options *options)
{
    struct printer printer = {.sink = sink, .tree = tree, .nodes = tree->nodes, .options = options};
    uint32_t hit = tree->nodes[REPORT_ROOT].first_child;

    find_widths(&printer);
    print_heading(&printer, event_name);
    for (; hit != REPORT_ROOT; hit = tree->nodes[hit].next_sibling) {
        print_hit(&printer, hit);
        print_graph(&printer, hit);
    }
    print_to(sink, "\n");
}
