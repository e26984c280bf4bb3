/* SPDX-License-Identifier: BSD-2-Clause */
/* See aggregate.h. Counts have the columns of `perf stat`; a histogram has a bar at each count. */
#include "core/aggregate/aggregate.h"

#include "arch/cpu.h"
#include "core/symbols/symbols.h"

#define KEY_SIZE 64
#define BAR      40 /* width of the bar for the highest count, in columns */

/* --- Lines. --- */

size_t aggregate_lines_most(void)
{
    return (size_t)arch_cpus() * AGGREGATE_TABLE_CELLS;
}

static bool same_key(const struct aggregate_line *one, const struct aggregate_line *other)
{
    return one->key.words[0] == other->key.words[0] && one->key.words[1] == other->key.words[1];
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
        if (merged > 0 && same_key(&lines[merged - 1], &lines[i]) &&
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

        for (next = first; next < count && same_key(&lines[first], &lines[next]); next++)
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

/* --- Text. --- */

static void describe_field(const struct aggregate_plan *plan, const struct aggregate_key *key,
                           char *text)
{
    switch (plan->key.kind) {
    case TRACEPOINT_text:
        print_into(text, KEY_SIZE, "%.16s", (const char *)key->words);
        break;
    case TRACEPOINT_function:
    case TRACEPOINT_code:
        symbols_describe(key->words[0], text, KEY_SIZE);
        break;
    case TRACEPOINT_pointer:
        print_into(text, KEY_SIZE, "0x%llx", (unsigned long long)key->words[0]);
        break;
    default:
        if (field_has_sign(&plan->key))
            print_into(text, KEY_SIZE, "%lld", (long long)key->words[0]);
        else
            print_into(text, KEY_SIZE, "%llu", (unsigned long long)key->words[0]);
    }
}

static void describe_key(const struct aggregate_plan *plan, const struct aggregate_key *key,
                         char *text)
{
    switch (plan->by) {
    case AGGREGATE_BY_NOTHING:
        text[0] = '\0';
        break;
    case AGGREGATE_BY_COMM:
        print_into(text, KEY_SIZE, "%.16s", (const char *)key->words);
        break;
    case AGGREGATE_BY_CPU:
        print_into(text, KEY_SIZE, "CPU %llu", (unsigned long long)key->words[0]);
        break;
    case AGGREGATE_BY_CALLER:
        if (key->words[0])
            symbols_describe_return(key->words[0], text, KEY_SIZE);
        else
            print_into(text, KEY_SIZE, "[no caller]");
        break;
    case AGGREGATE_BY_FIELD:
        describe_field(plan, key, text);
    }
}

static void describe_part(uint64_t part, char *text)
{
    if (part == AGGREGATE_PART_NEGATIVE) {
        print_into(text, KEY_SIZE, "below 0");
    } else if (part <= 1) {
        print_into(text, KEY_SIZE, "%llu", (unsigned long long)part);
    } else {
        unsigned long long first = 1ull << (part - 1);

        print_into(text, KEY_SIZE, "%llu to %llu", first, first - 1 + first);
    }
}

static void print_bar(struct sink *sink, uint64_t count, uint64_t most)
{
    uint64_t length;

    /* Scaled so that neither product nor quotient overflows. */
    for (; most >> 56; most >>= 1)
        count >>= 1;
    length = most ? (count * BAR + most - 1) / most : 0;
    while (length-- > 0)
        print_to(sink, "*");
}

/* Prints the lines of the key at `lines` and returns their number. */
static size_t print_histogram(struct sink *sink, const struct aggregate_line *lines, size_t count,
                              bool keyed)
{
    uint64_t most = 0;
    size_t next;

    for (next = 0; next < count && same_key(&lines[0], &lines[next]); next++)
        most = lines[next].count > most ? lines[next].count : most;
    for (size_t i = 0; i < next; i++) {
        char part[KEY_SIZE];

        describe_part(lines[i].key.part, part);
        print_to(sink, "%18llu      %s%-24s  ", (unsigned long long)lines[i].count,
                 keyed ? "  " : "", part);
        print_bar(sink, lines[i].count, most);
        print_to(sink, "\n");
    }
    return next;
}

static void print_header(struct sink *sink, const char *event, const struct aggregate *aggregate,
                         uint64_t runs)
{
    const struct aggregate_plan *plan = &aggregate->plan;
    static const char *const words[] = {
        [AGGREGATE_BY_COMM] = "comm", [AGGREGATE_BY_CPU] = "cpu", [AGGREGATE_BY_CALLER] = "caller"};

    print_to(sink, " ");
    if (plan->role)
        print_to(sink, "%s to ", aggregate->from);
    print_to(sink, "%s", event);
    if (plan->role)
        print_to(sink, ", ns, in one thread%s%s", plan->span_field ? " and " : "",
                 plan->span_field ? plan->span_field->name : "");
    if (plan->value_field)
        print_to(sink, ", %s", plan->value_field->name);
    if (plan->by)
        print_to(sink, ", by %s",
                 plan->by == AGGREGATE_BY_FIELD ? plan->key_field->name : words[plan->by]);
    if (runs > 1)
        print_to(sink, ", all %llu runs together", (unsigned long long)runs);
    print_to(sink, ":\n\n");
}

static void print_sum(struct sink *sink, uint64_t count, const char *what)
{
    if (count)
        print_to(sink, "%18llu      %s\n", (unsigned long long)count, what);
}

static void print_lines(struct sink *sink, const struct aggregate_plan *plan,
                        const struct aggregate_line *lines, size_t count)
{
    bool histogram = plan->value_field || plan->role;
    char key[KEY_SIZE];

    for (size_t i = 0; i < count;) {
        describe_key(plan, &lines[i].key, key);
        if (!histogram || plan->by)
            print_to(sink, "%18llu      %s\n", (unsigned long long)lines[i].of_key, key);
        if (histogram)
            i += print_histogram(sink, &lines[i], count - i, plan->by);
        else
            i++;
    }
}

/* The hits that no line includes, and the end of the table. */
static void print_unlisted(struct sink *sink, const struct aggregate_sums *sums)
{
    if (sums->lost)
        print_to(sink, "%18llu      hits of keys for which a CPU's table of %d had no room\n",
                 (unsigned long long)sums->lost, AGGREGATE_TABLE_CELLS);
    if (sums->beyond)
        print_to(sink, "%18llu      hits of keys beyond the %zu that are kept over all runs\n",
                 (unsigned long long)sums->beyond, sums->most);
    print_sum(sink, sums->spans.again, "began again before they ended: the later beginning counts");
    print_sum(sink, sums->spans.unbegun, "ended and had not begun");
    print_sum(sink, sums->spans.open, "had not ended");
    print_sum(sink, sums->spans.lost, "began where a CPU's table had no room");
    print_to(sink, "\n");
}

void aggregate_print(struct sink *sink, const char *event, const struct aggregate *aggregate,
                     const struct aggregate_sums *sums)
{
    print_header(sink, event, aggregate, sums->runs);
    print_lines(sink, &aggregate->plan, sums->lines, sums->count);
    print_unlisted(sink, sums);
}

void aggregate_print_rest(struct sink *sink, const char *event, const struct aggregate *aggregate,
                          const struct aggregate_sums *sums)
{
    const struct span_sums *spans = &sums->spans;

    if (!sums->lost && !spans->again && !spans->unbegun && !spans->open && !spans->lost)
        return;
    print_header(sink, event, aggregate, 1);
    print_unlisted(sink, sums);
}
