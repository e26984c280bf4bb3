/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The words after `perf record`, `perf stat` and `perf trace`, and each of them as an event.
 * libFuzzer's bytes become words made of pieces: words from the parsers' own refusals, so that a
 * new option needs no line here, numbers, names, random characters. An accepted event is in range,
 * and its name, parsed again, gives the same event; a refusal has a reason. Run by
 * tests/host/fuzz.t (docs/proof.md).
 *
 * links: core/perf/options.c core/perf/option_table.c core/perf/report_options.c core/perf/terms.c core/perf/events.c core/perf/targets.c core/perf/aggregate_options.c core/lib/option.c core/console/habits.c core/script/trace_calls.c core/report/percent.c core/event/spec.c core/own_kernel.c core/event/sources.c core/event/source_breakpoint.c core/event/source_clock.c core/event/source_nmi_clock.c core/event/source_branches.c core/event/source_tracepoint.c tests/unit/fake_events.c core/tracepoint/filter.c core/tracepoint/field.c core/lib/glob.c core/lib/number.c core/lib/refusal.c core/lib/words.c core/lib/print.c core/symbols/place.c core/symbols/symbols.c core/symbols/table.c core/symbols/nearest.c core/tracepoint/list.c core/tracepoint/call_path.c tools/symtab/table.c tests/unit/fake_symtab.c tests/unit/fake_task.c tests/unit/fake_preempt.c tests/unit/fake_cpu.c core/host.c kernel/syscall/syscall_table.c tests/fuzz/feed.c
 */
#include <linux/hw_breakpoint.h>

#include "arch/step.h"
#include "core/host.h"
#include "core/lib/deviation.h"
#include "core/perf/options.h"
#include "core/sample/sample.h"
#include "kernel/syscall/syscalls.h"
#include "tests/fuzz/claim.h"
#include "tests/fuzz/feed.h"
#include "tests/unit/fake_symtab.h"

#define WORDS_MOST  40
#define WORD_SIZE   200
#define PIECES_MOST 200
#define CPUS        4
#define FLAG        0xffffffff80200000 /* the address of kernel_flag, of four bytes */

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* -C */
unsigned arch_cpus(void)
{
    return CPUS;
}

#define TRACEPOINT_HERE(system, name)                                                              \
    PITOT_TRACEPOINT(system, name, 3, PITOT_FIELD(pointer, address, "address=%p"),                 \
                     PITOT_FIELD(u32, order, " order=%u"), PITOT_FIELD(text, name, " name=%s"))

/* Few enough that few patterns match more than a recording can hold. */
TRACEPOINT_HERE(one, first);
TRACEPOINT_HERE(one, second);
TRACEPOINT_HERE(two, third);
TRACEPOINT_HERE(two, a);
TRACEPOINT_HERE(two, b);
TRACEPOINT_HERE(two, c);
TRACEPOINT_HERE(two, d);
TRACEPOINT_HERE(two, e);
TRACEPOINT_HERE(two, f);
TRACEPOINT_HERE(two, g);
TRACEPOINT_HERE(two, h);
TRACEPOINT_HERE(two, i);
TRACEPOINT_HERE(two, j);
TRACEPOINT_HERE(two, k);
TRACEPOINT_HERE(two, l);
TRACEPOINT_HERE(two, m);
TRACEPOINT_HERE(two, n);
TRACEPOINT_HERE(two, o);
TRACEPOINT_HERE(two, p);
TRACEPOINT_HERE(two, q);
TRACEPOINT_HERE(two, r);
TRACEPOINT_HERE(two, s);
TRACEPOINT_HERE(two, t);
TRACEPOINT_HERE(two, u);

/* --- What this kernel supports. --- */

static bool possible[UNWIND_METHODS];

bool unwind_possible(enum unwind_method method)
{
    return possible[method];
}

enum unwind_method unwind_default(void)
{
    return possible[UNWIND_BY_TABLE] ? UNWIND_BY_TABLE : UNWIND_BY_FRAME_POINTER;
}

/* Whether the machine cannot step over a watched access. */
static bool excludes;

bool arch_step_excludes_watches(void)
{
    return excludes;
}

/* --- Words. --- */

static char *pieces[PIECES_MOST];
static unsigned piece_count;

static void add_piece(const char *piece)
{
    for (unsigned i = 0; i < piece_count; i++)
        if (strcmp(pieces[i], piece) == 0)
            return;
    CLAIM(piece_count < PIECES_MOST);
    pieces[piece_count++] = strdup(piece);
}

/* Learns the words of the refusal of these, by that part of perf. */
static void learn(const char *part, const char *option, const char *value)
{
    static struct perf_options options;
    char words[3][WORD_SIZE];
    char *argv[] = {words[0], words[1], words[2], NULL};
    struct refusal why = {.text = ""};

    strcpy(words[0], part);
    strcpy(words[1], option);
    strcpy(words[2], value);
    CLAIM(perf_options_parse(3, argv, &options, &why) < 0);
    for (char *word = strtok(why.text, " ,;|\"[]()`"); word; word = strtok(NULL, " ,;|\"[]()`"))
        add_piece(word);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    const struct table_symbol symbols[] = {
        fake_function("lock_kernel", 0xffffffff80100000, 57),
        fake_object("kernel_flag", FLAG, 4),
        fake_object("twin", 0xffffffff80206000, 8),
        fake_object("twin", 0xffffffff80206010, 8),
        fake_object("page", 0xffffffffffffe000, 4096),
    };
    static const char *const known[] = {
        "mem:",       "kernel_flag", "lock_kernel",
        "twin",       "page",        "one:first",
        "one:second", "two:third",   "one:",
        "*:*",        "*",           "?",
        "0x",         "4096",        "8",
        "31",         "32",          "33",
        "126",        "127",         "18446744073709551615",
        "1",          "0",           "-",
        "--",         "+",           "/",
        ":",          "rw",          "w",
        "x",          "k",           "u",
        ",",          "=",           "&&",
        "(",          ")",           "order",
        "name",       "\"",          "~",
        "-e",         "-c",          "--filter",
        "order>2",    "branches",    "--start",
        "window=",
    };

    (void)argc;
    (void)argv;
    host.calls = syscall_table;
    host.call_count = syscall_count;
    fake_symtab_load(symbols, sizeof(symbols) / sizeof(symbols[0]));
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        add_piece(known[i]);
    learn("record", "--no-such-option", "");
    learn("stat", "--no-such-option", "");
    learn("trace", "--no-such-option", "");
    learn("trace", "-e", "no_such_call");
    learn("record", "-e", "no_such_event");
    learn("record", "-e", "mem:kernel_flag/no=such,term=0/");
    learn("record", "--call-graph", "no_such_way");
    return 0;
}

struct arguments {
    char text[WORDS_MOST][WORD_SIZE];
    int count;
};

static void add_text(struct arguments *arguments, const char *text, size_t length)
{
    char *word = arguments->text[arguments->count - 1];
    size_t used = strlen(word);

    if (used + length < WORD_SIZE) {
        memcpy(word + used, text, length);
        word[used + length] = '\0';
    }
}

/* Adds digits until the word is about as long as an event's name may be. */
static void add_zeros(struct arguments *arguments, uint8_t choice)
{
    while (strlen(arguments->text[arguments->count - 1]) < EVENT_NAME_SIZE - 3u + choice % 4)
        add_text(arguments, "0", 1);
}

/* Adds patterns that match all tracepoints, so many times. */
static void add_crowd(struct arguments *arguments, unsigned times)
{
    for (; times > 0; times--)
        add_text(arguments, times > 1 ? "*:*," : "*:*", times > 1 ? 4 : 3);
}

static void feed_arguments(struct arguments *arguments, bool event, struct feed *feed)
{
    arguments->count = 1;
    memset(arguments->text, 0, sizeof(arguments->text));
    if (event) {
        strcpy(arguments->text[1], "-e");
        arguments->count = 3;
    }
    while (!feed_is_empty(feed)) {
        uint8_t choice = feed_byte(feed);
        char any = (char)(' ' + choice % 95);

        if (choice < 0x20)
            add_text(arguments, &any, 1);
        else if (choice < 0x28)
            add_zeros(arguments, choice);
        else if (choice < 0x30)
            add_crowd(arguments, choice % 8);
        else if (choice >= 0x60)
            add_text(arguments, pieces[choice % piece_count], strlen(pieces[choice % piece_count]));
        else if (arguments->count == WORDS_MOST)
            break;
        else
            arguments->count++;
    }
}

/* --- What must hold. --- */

static bool same_attr(const struct perf_event_attr *one, const struct perf_event_attr *other)
{
    return one->type == other->type && one->config == other->config &&
           one->bp_type == other->bp_type && one->bp_addr == other->bp_addr &&
           one->bp_len == other->bp_len && one->exclude_user == other->exclude_user &&
           one->exclude_kernel == other->exclude_kernel;
}

static void claim_means(const char *spelling, const struct perf_event_attr *attr)
{
    struct event_spec again;
    struct refusal why;

    CLAIM(event_spec_parse(spelling, &again, &why) == 0);
    CLAIM(strcmp(again.name, spelling) == 0);
    CLAIM(same_attr(&again.attr, attr));
}

static void check_breakpoint(const struct perf_event_attr *attr)
{
    static const char *const access[] = {
        [HW_BREAKPOINT_W] = "w", [HW_BREAKPOINT_RW] = "rw", [HW_BREAKPOINT_X] = "x"};
    char spelling[EVENT_NAME_SIZE];

    CLAIM(attr->bp_type == HW_BREAKPOINT_W || attr->bp_type == HW_BREAKPOINT_RW ||
          attr->bp_type == HW_BREAKPOINT_X);
    CLAIM(attr->bp_len >= 1 && attr->bp_len <= 32);
    CLAIM(attr->bp_type != HW_BREAKPOINT_X || attr->bp_len == 8);
    CLAIM(!attr->exclude_user || !attr->exclude_kernel);
    snprintf(spelling, sizeof(spelling), "mem:0x%llx/%llu:%s%s", (unsigned long long)attr->bp_addr,
             (unsigned long long)attr->bp_len, access[attr->bp_type],
             attr->exclude_user     ? ":k"
             : attr->exclude_kernel ? ":u"
                                    : "");
    claim_means(spelling, attr);
}

static void check_spec(const struct event_spec *spec)
{
    CLAIM(memchr(spec->name, '\0', sizeof(spec->name)) && spec->name[0]);
    CLAIM(spec->attr.size == sizeof(spec->attr));
    CLAIM(spec->filter.count <= FILTER_STEPS_MAX);
    if (spec->attr.type == PERF_TYPE_BREAKPOINT)
        check_breakpoint(&spec->attr);
    if (spec->attr.type == PERF_TYPE_TRACEPOINT) {
        CLAIM(tracepoint_by_id(spec->attr.config));
        CLAIM(strcmp(tracepoint_by_id(spec->attr.config)->full_name, spec->name) == 0);
    }
    claim_means(spec->name, &spec->attr);
}

/* Checks an event's spelling, in memory of its exact size. */
static void check_event(const char *word)
{
    struct event_spec *spec = malloc(sizeof(*spec));
    char *copy = strdup(word);
    struct refusal why;
    int error;

    refusal_spoil(&why);
    memset(spec, 0xa5, sizeof(*spec));
    error = event_spec_parse(copy, spec, &why);
    if (error)
        claim_refused(error, &why);
    else
        check_spec(spec);
    free(copy);
    free(spec);
}

/* Writes a watch as text, which must mean the same watch, or be refused rightly. */
static void check_made_watch(struct feed *feed)
{
    static const char *const accesses[] = {"", ":w", ":rw", ":x", ":r"};
    static const uint32_t bits[] = {HW_BREAKPOINT_RW, HW_BREAKPOINT_W, HW_BREAKPOINT_RW,
                                    HW_BREAKPOINT_X, 0};
    static const char *const modifiers[] = {"", ":u", ":k", ":uk", ":ku"};
    uint8_t choice = feed_byte(feed), access = feed_byte(feed) % 5, modifier = feed_byte(feed) % 5;
    unsigned length = feed_byte(feed) % 40;
    uint64_t address = choice & 1 ? FLAG : feed_number(feed, 8);
    bool given = choice & 2, executes = bits[access] == HW_BREAKPOINT_X;
    bool possible_length = length > 0 && length <= 32 && (!executes || length == 1 || length == 8);
    char spelling[EVENT_NAME_SIZE], place[24], slash[8];
    struct event_spec spec;
    struct refusal why;
    int error;

    snprintf(place, sizeof(place), choice & 4 ? "0x%llx" : "%llu", (unsigned long long)address);
    snprintf(slash, sizeof(slash), "/%u", length);
    snprintf(spelling, sizeof(spelling), "mem:%s%s%s%s", choice & 1 ? "kernel_flag" : place,
             given ? slash : "", accesses[access], modifiers[modifier]);
    refusal_spoil(&why);
    error = event_spec_parse(spelling, &spec, &why);
    CLAIM((error == 0) == (bits[access] && (!given || possible_length)));
    if (error) {
        claim_refused(error, &why);
        return;
    }
    CLAIM(spec.attr.type == PERF_TYPE_BREAKPOINT && spec.attr.bp_addr == address);
    CLAIM(spec.attr.bp_type == bits[access]);
    CLAIM(spec.attr.bp_len == (executes ? 8 : given ? length : 4));
    CLAIM(spec.attr.exclude_kernel == (modifier == 1) && spec.attr.exclude_user == (modifier == 2));
}

/* The field that a hit reads exists. */
static void check_field(const struct event_spec *event, const struct field_place *place)
{
    CLAIM(event->attr.type == PERF_TYPE_TRACEPOINT);
    CLAIM(place->source != FIELD_ARGUMENT ||
          place->place < tracepoint_by_id(event->attr.config)->field_count);
    CLAIM((place->source == FIELD_COMM) <= field_is_text(place));
}

static void check_aggregate(const struct event_spec *event)
{
    const struct aggregate_plan *plan = &event->aggregate;

    CLAIM(!aggregate_is_wanted(plan) || event->attr.type == PERF_TYPE_TRACEPOINT ||
          event->attr.type == PERF_TYPE_BREAKPOINT);
    CLAIM(!aggregate_is_wanted(plan) || !event->start);
    CLAIM(plan->by != AGGREGATE_BY_CALLER || possible[plan->method]);
    CLAIM(plan->role != AGGREGATE_BEGINS || !plan->by);
    CLAIM(!plan->role || !plan->value_field);
    if (plan->span_field) {
        check_field(event, &plan->span);
        CLAIM(plan->role && !field_is_text(&plan->span));
    }
    if (plan->by == AGGREGATE_BY_FIELD)
        check_field(event, &plan->key);
    if (plan->value_field) {
        check_field(event, &plan->value);
        CLAIM(!field_is_text(&plan->value));
    }
}

static void check_recorded(const struct event_spec *event)
{
    uint64_t fields = event->attr.sample_type;
    bool chain = fields & PERF_SAMPLE_CALLCHAIN;

    check_spec(event);
    check_aggregate(event);
    CLAIM(event->attr.sample_period > 0);
    CLAIM((fields & SAMPLE_ALWAYS) == SAMPLE_ALWAYS);
    CLAIM(!(fields & ~(uint64_t)(SAMPLE_ALWAYS | SAMPLE_OPTIONAL)));
    CLAIM(!(fields & PERF_SAMPLE_RAW) || event->attr.type == PERF_TYPE_TRACEPOINT);
    CLAIM(!(fields & PERF_SAMPLE_REGS_INTR) == !event->attr.sample_regs_intr);
    CLAIM(event->filter.count == 0 || event->attr.type == PERF_TYPE_TRACEPOINT);
    CLAIM(event->cpus < 1ull << CPUS && (!event->cpus || event->attr.type != PERF_TYPE_HARDWARE));
    CLAIM(event->chain.skip < SAMPLE_CHAIN_MAX);
    CLAIM(!chain || (event->chain.method < UNWIND_METHODS && possible[event->chain.method]));
    CLAIM(chain || (!event->chain.skip && !event->chain.verify));
    CLAIM(!event->chain.verify || (possible[0] && possible[1]));
    CLAIM(!event->window.instructions || event->attr.type == PERF_TYPE_HARDWARE);
    CLAIM(!event->start || event->attr.type == PERF_TYPE_BREAKPOINT);
    if (event->attr.type == PERF_TYPE_HARDWARE)
        CLAIM(event->attr.config == PERF_COUNT_HW_BRANCH_INSTRUCTIONS && !event->attr.freq &&
              !chain && !(fields & PERF_SAMPLE_REGS_INTR));
}

/* At most one event of branches, with a start if and only if another event starts it. */
static void check_branches(const struct recording_options *recording)
{
    const struct event_spec *branches = NULL;
    bool starts = false, data = false;

    for (unsigned i = 0; i < recording->event_count; i++) {
        const struct event_spec *event = &recording->events[i];

        CLAIM(event->attr.type != PERF_TYPE_HARDWARE || !branches);
        if (event->attr.type == PERF_TYPE_HARDWARE)
            branches = event;
        starts |= event->start;
        data |= !event->start && event->attr.type == PERF_TYPE_BREAKPOINT &&
                event->attr.bp_type != HW_BREAKPOINT_X;
    }
    CLAIM(branches || !starts);
    CLAIM(!branches || branches->window.started == starts);
    CLAIM(!branches || !data || !excludes);
}

/* If an event ends spans, another one begins them, and both have the same key or none. */
static void check_spans(const struct recording_options *recording)
{
    const struct aggregate_plan *of[AGGREGATE_ENDS + 1] = {NULL};

    for (unsigned i = 0; i < recording->event_count; i++) {
        const struct aggregate_plan *plan = &recording->events[i].aggregate;

        CLAIM(!plan->role || !of[plan->role]);
        of[plan->role] = plan->role ? plan : NULL;
    }
    CLAIM(!of[AGGREGATE_BEGINS] == !of[AGGREGATE_ENDS]);
    CLAIM(!of[AGGREGATE_BEGINS] ||
          !of[AGGREGATE_BEGINS]->span_field == !of[AGGREGATE_ENDS]->span_field);
}

static void check_options(const struct perf_options *options, int argc, char **argv)
{
    const struct recording_options *recording = &options->recording;

    CLAIM(recording->event_count > 0 && recording->event_count <= RECORDING_EVENTS_MAX);
    for (unsigned i = 0; i < recording->event_count; i++)
        check_recorded(&recording->events[i]);
    check_branches(recording);
    check_spans(recording);
    CLAIM(recording->ring_size > 0);
    CLAIM(options->stat.runs <= DEVIATION_RUNS_MAX && (!options->stat.runs || options->workload));
    CLAIM(!options->stat.interval_ms ||
          (options->stat.interval_ms >= STAT_INTERVAL_MIN_MS && !options->stat.runs));
    CLAIM(strcmp(argv[0], "stat") == 0 || (!options->stat.runs && !options->stat.interval_ms));
    CLAIM(strcmp(argv[0], "trace") == 0 || (!options->trace.calls && !options->trace.summary));
    CLAIM(options->trace.lines || options->trace.summary);
    if (options->workload) {
        CLAIM(options->workload_count > 0 && options->workload_count < argc);
        CLAIM(options->workload + options->workload_count == argv + argc);
    }
}

/* Each argument is in memory of its exact size, as the parser splits them. */
static void check_arguments(const struct arguments *arguments)
{
    struct perf_options *options = malloc(sizeof(*options));
    char **argv = malloc(((size_t)arguments->count + 1) * sizeof(*argv));
    struct refusal why;
    int error;

    for (int i = 0; i < arguments->count; i++)
        argv[i] = strdup(arguments->text[i]);
    argv[arguments->count] = NULL;
    refusal_spoil(&why);
    memset(options, 0xa5, sizeof(*options));
    error = perf_options_parse(arguments->count, argv, options, &why);
    if (error)
        claim_refused(error, &why);
    else
        check_options(options, arguments->count, argv);
    for (int i = 0; i < arguments->count; i++)
        free(argv[i]);
    free(argv);
    free(options);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static struct arguments arguments;
    struct feed feed = {.bytes = bytes, .left = size};
    uint8_t choice = feed_byte(&feed);

    possible[UNWIND_BY_TABLE] = choice & 1;
    possible[UNWIND_BY_FRAME_POINTER] = choice & 2;
    excludes = choice & 32;
    if (choice & 8)
        check_made_watch(&feed);
    feed_arguments(&arguments, choice & 16, &feed);
    for (int i = 0; i < arguments.count && i < 4; i++)
        check_event(arguments.text[i]);
    strcpy(arguments.text[0], choice & 64 ? "trace" : choice & 4 ? "stat" : "record");
    check_arguments(&arguments);
    return 0;
}
