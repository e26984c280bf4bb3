/* SPDX-License-Identifier: BSD-2-Clause */
/* See lines.h. */
#include "core/aggregate/lines.h"

#include "arch/cpu.h"

size_t aggregate_lines_most(void)
{
    return (size_t)arch_cpus() * AGGREGATE_TABLE_CELLS;
}

static bool is_before(const struct aggregate_line *one, const struct aggregate_line *other)
{
    if (one->of_key != other->of_key)
        return one->of_key > other->of_key;
    for (unsigned i = 0; i < 2; i++)
        if (one->key.words[i] != other->key.words[i])
            return one->key.words[i] < other->key.words[i];
    return one->key.part < other->key.part;
}

/* Moves a line down the heap while a line below it sorts after it. */
static void sift(struct aggregate_line *lines, size_t place, size_t count)
{
    struct aggregate_line moved = lines[place];

    for (size_t below; (below = 2 * place + 1) < count; place = below) {
        if (below + 1 < count && is_before(&lines[below], &lines[below + 1]))
            below++;
        if (!is_before(&moved, &lines[below]))
            break;
        lines[place] = lines[below];
    }
    lines[place] = moved;
}

/* Heapsort: no extra memory, no recursion, and no order of keys makes it slow. */
static void sort(struct aggregate_line *lines, size_t count)
{
    for (size_t i = count / 2; i > 0; i--)
        sift(lines, i - 1, count);
    for (size_t i = count; i > 1; i--) {
        struct aggregate_line last = lines[0];

        lines[0] = lines[i - 1];
        lines[i - 1] = last;
        sift(lines, 0, i - 1);
    }
}

static size_t gather(const struct aggregate *aggregate, struct aggregate_line *lines, bool marked)
{
    size_t count = 0;

    for (unsigned cpu = 0; cpu < arch_cpus(); cpu++) {
        const struct aggregate_cpu *of = &aggregate->cpu[cpu];

        for (unsigned i = 0; i < AGGREGATE_TABLE_CELLS; i++) {
            struct aggregate_line *line = &lines[count];

            if (!aggregate_table_read(&of->table.cells[i], &line->key, &line->count))
                continue;
            line->of_key = 0;
            if (marked)
                line->count = of->marked[i] - of->before[i];
            /* A cell may have its key before its first hit is counted. */
            if (line->count > 0)
                count++;
        }
    }
    return count;
}

/* Several CPUs may have the same key, and one CPU may have a key twice. */
static size_t merge(struct aggregate_line *lines, size_t count)
{
    size_t merged = 0;

    for (size_t i = 0; i < count; i++)
        if (merged > 0 && aggregate_same_key(&lines[merged - 1], &lines[i]) &&
            lines[merged - 1].key.part == lines[i].key.part)
            lines[merged - 1].count += lines[i].count;
        else
            lines[merged++] = lines[i];
    return merged;
}

static void add_up(struct aggregate_line *lines, size_t count)
{
    for (size_t first = 0, next; first < count; first = next) {
        uint64_t sum = 0;

        for (next = first; next < count && aggregate_same_key(&lines[first], &lines[next]); next++)
            sum += lines[next].count;
        for (size_t i = first; i < next; i++)
            lines[i].of_key = sum;
    }
}

/* Expects of_key to be 0 in all lines, so that the first sort groups the lines of a key. */
static size_t arrange(struct aggregate_line *lines, size_t count)
{
    sort(lines, count);
    count = merge(lines, count);
    add_up(lines, count);
    sort(lines, count);
    return count;
}

size_t aggregate_lines_marked(const struct aggregate *aggregate, struct aggregate_line *lines)
{
    return arrange(lines, gather(aggregate, lines, true));
}

void aggregate_sums_add(struct aggregate_sums *sums, const struct aggregate *aggregate)
{
    for (size_t i = 0; i < sums->count; i++)
        sums->lines[i].of_key = 0;
    sums->count += gather(aggregate, sums->lines + sums->count, false);
    sums->count = arrange(sums->lines, sums->count);
    for (; sums->count > sums->most; sums->count--)
        sums->beyond += sums->lines[sums->count - 1].count;
    for (unsigned cpu = 0; cpu < arch_cpus(); cpu++)
        sums->lost += local_load(&aggregate->cpu[cpu].lost);
    if (aggregate->spans)
        span_sums_add(&sums->spans, aggregate->spans);
    sums->runs++;
}
