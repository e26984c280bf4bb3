/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * See record.h. Options are gathered first and applied to all events at the end, so that
 * their order is free.
 */
#include "core/option/record.h"

#include "arch/cpu.h"
#include "arch/memory.h"
#include "arch/registers.h"
#include "core/lib/glob.h"
#include "core/lib/number.h"
#include "core/lib/print.h"
#include "core/lib/string.h"
#include "core/option/branches.h"
#include "core/option/span.h"
#include "core/option/tally.h"
#include "core/option/target.h"
#include "core/sample/sample.h"

#define FREQUENCY_MAX UINT64_MAX

/* What holds for an event where its own terms do not say otherwise. */
struct event_terms {
    uint64_t period;    /* 0: not said */
    uint64_t frequency; /* 0: not said, FREQUENCY_MAX: the most possible */
    uint64_t skip;      /* 0: not said */
    uint64_t window;    /* 0: not given. In branches; for counts as well as samples */
    bool stop;          /* each sample stops the program that was hit */
    enum chain_term { CHAIN_UNSAID, CHAIN_NO, CHAIN_DEFAULT, CHAIN_ORC, CHAIN_FP } chain;
    int registers; /* 0: not said, 1: yes, -1: no */
    int raw;       /* likewise */
};

struct parse {
    struct perf_options *options;
    struct event_terms all;
    struct event_terms own[RECORDING_EVENTS_MAX];
    unsigned last; /* the first event of the last -e */
    bool verify;
    uint32_t pid;           /* of -p; 0: any */
    uint64_t cpus;          /* of -C, bit i: CPU i; 0: any */
    bool all_threads;       /* -a */
    bool counting;          /* it is `perf stat` */
    const char *key;        /* of --key; NULL: not said */
    const char *of_samples; /* the first option that says something of samples; NULL: none */
    struct refusal *why;
};

#define NUMBER_MAX (1ull << 40) /* with room above for a unit or a page's size */

/* Decimal, with k or m after it if `units`; the whole word. */
static bool parse_number(const char *word, bool units, uint64_t *number)
{
    const char *at = word;
    uint64_t value;

    if (number_read(&at, 10, NUMBER_MAX, &value) != NUMBER_READ)
        return false;
    if (units && (*at == 'k' || *at == 'K'))
        value <<= 10, at++;
    else if (units && (*at == 'm' || *at == 'M'))
        value <<= 20, at++;
    *number = value;
    return *at == '\0';
}

static int parse_period(struct parse *parse, const char *word, uint64_t *period)
{
    if (parse_number(word, false, period) && *period > 0)
        return 0;
    return refuse(parse->why, EINVAL, "period \"%s\": a whole number from 1 is possible", word);
}

static int parse_frequency(struct parse *parse, const char *word, uint64_t *frequency)
{
    if (parse_number(word, false, frequency) && *frequency > 0)
        return 0;
    if (strcmp(word, "max") != 0)
        return refuse(parse->why, EINVAL,
                      "frequency \"%s\": a whole number from 1, or max, is possible", word);
    *frequency = FREQUENCY_MAX;
    return 0;
}

/* What has no frame pointers cannot follow them; what has no table says so at boot. */
static int parse_chain(struct parse *parse, const char *word, enum chain_term *chain)
{
    static const char *const possible[2][2] = {{"only no is", "fp and no are"},
                                               {"orc and no are", "orc, fp and no are"}};
    bool orc = unwind_possible(UNWIND_BY_TABLE), fp = unwind_possible(UNWIND_BY_FRAME_POINTER);

    if (strcmp(word, "no") == 0)
        *chain = CHAIN_NO;
    else if (strcmp(word, "orc") == 0 && orc)
        *chain = CHAIN_ORC;
    else if (strcmp(word, "fp") == 0 && fp)
        *chain = CHAIN_FP;
    else
        return refuse(parse->why, EINVAL, "call-graph \"%s\": %s possible in this kernel", word,
                      possible[orc][fp]);
    return 0;
}

static int parse_skip(struct parse *parse, const char *word, uint64_t *skip)
{
    if (parse_number(word, false, skip) && *skip > 0 && *skip < SAMPLE_CHAIN_MAX)
        return 0;
    return refuse(parse->why, EINVAL, "skip \"%s\": 1 to %d callers are possible", word,
                  SAMPLE_CHAIN_MAX - 1);
}

static int parse_window(struct parse *parse, const char *word, uint64_t *window)
{
    if (parse_number(word, true, window) && *window > 0)
        return 0;
    return refuse(parse->why, EINVAL,
                  "window \"%s\": instructions, a whole number from 1, with k or m perhaps", word);
}

#define TERMS                                                                                      \
    "period=N, freq=HZ, call-graph=orc|fp|no, skip=N, regs=yes|no, raw=yes|no, window=N, stop "    \
    "are "                                                                                         \
    "possible"

static bool parse_yes_no(const char *value, int *answer)
{
    *answer = strcmp(value, "yes") == 0 ? 1 : strcmp(value, "no") == 0 ? -1 : 0;
    return *answer != 0;
}

static int parse_term(struct parse *parse, char *term, struct event_terms *terms)
{
    char *value = strchr(term, '=');

    if (strcmp(term, "stop") == 0) {
        terms->stop = true;
        return 0;
    }
    if (!value)
        return refuse(parse->why, EINVAL, "event term \"%s\": " TERMS, term);
    *value++ = '\0';
    if (strcmp(term, "period") == 0)
        return parse_period(parse, value, &terms->period);
    if (strcmp(term, "freq") == 0)
        return parse_frequency(parse, value, &terms->frequency);
    if (strcmp(term, "call-graph") == 0)
        return parse_chain(parse, value, &terms->chain);
    if (strcmp(term, "skip") == 0)
        return parse_skip(parse, value, &terms->skip);
    if (strcmp(term, "window") == 0)
        return parse_window(parse, value, &terms->window);
    if (strcmp(term, "regs") == 0 && parse_yes_no(value, &terms->registers))
        return 0;
    if (strcmp(term, "raw") == 0 && parse_yes_no(value, &terms->raw))
        return 0;
    return refuse(parse->why, EINVAL, "event term \"%s=%s\": " TERMS, term, value);
}

/* Cuts "/term,term/" off the end of an event. */
static int parse_terms(struct parse *parse, char *event, struct event_terms *terms)
{
    size_t length = strlen(event);
    char *open, *next;

    if (length < 2 || event[length - 1] != '/')
        return 0;
    event[length - 1] = '\0';
    open = event + length - 1;
    while (open > event && *open != '/')
        open--;
    if (open == event)
        return refuse(parse->why, EINVAL, "event \"%s/\": terms stand between two slashes", event);
    *open = '\0';
    for (char *term = open + 1; term; term = next) {
        int error;

        next = strchr(term, ',');
        if (next)
            *next++ = '\0';
        error = parse_term(parse, term, terms);
        if (error)
            return error;
    }
    return 0;
}

static int add_event(struct parse *parse, const char *event, const struct event_terms *terms)
{
    struct recording_options *recording = &parse->options->recording;
    int error;

    if (recording->event_count == RECORDING_EVENTS_MAX)
        return refuse(parse->why, EINVAL, "more than %d events in one recording",
                      RECORDING_EVENTS_MAX);
    parse->own[recording->event_count] = *terms;
    error = event_spec_parse(event, &recording->events[recording->event_count], parse->why);
    recording->event_count += !error;
    return error;
}

/* An event for each tracepoint that matches, in order of names. */
static int add_matching(struct parse *parse, const char *pattern, const struct event_terms *terms)
{
    struct tracepoint *tracepoint = NULL;
    bool any = false;
    int error = 0;

    while (!error && (tracepoint = tracepoint_after(tracepoint)) != NULL) {
        if (!glob_match(pattern, tracepoint->full_name))
            continue;
        any = true;
        error = add_event(parse, tracepoint->full_name, terms);
    }
    if (!error && !any)
        return refuse(parse->why, ENOENT, "no tracepoint matches \"%s\"; `perf list` has them",
                      pattern);
    return error;
}

/* `lock:` is a subsystem with nothing said of the name: all of its tracepoints, as `lock:*`. */
static int add_subsystem(struct parse *parse, const char *event, const struct event_terms *terms)
{
    char pattern[EVENT_NAME_SIZE];

    if (strlen(event) + sizeof("*") > sizeof(pattern))
        return add_event(parse, event, terms); /* no name is so long: it says so */
    print_into(pattern, sizeof(pattern), "%s*", event);
    return add_matching(parse, pattern, terms);
}

static bool is_subsystem(const char *event)
{
    const char *colon = strchr(event, ':');

    return colon && colon > event && colon[1] == '\0' && strcmp(event, "mem:") != 0;
}

static int parse_event(struct parse *parse, char *event)
{
    struct event_terms terms = {.period = 0};
    int error = parse_terms(parse, event, &terms);

    if (error)
        return error;
    if (glob_is_pattern(event))
        return add_matching(parse, event, &terms);
    if (is_subsystem(event))
        return add_subsystem(parse, event, &terms);
    return add_event(parse, event, &terms);
}

/*
 * Events between commas, but not those commas that separate an event's terms: a term has a '='
 * before the next comma.
 */
static int parse_events(struct parse *parse, char *list)
{
    parse->last = parse->options->recording.event_count;
    while (list) {
        char *end = strchr(list, ',');
        char *open = strchr(list, '=');
        int error;

        if (open && end && open < end) {
            end = strchr(open, '/'); /* the terms' closing slash */
            end = end ? strchr(end, ',') : NULL;
        }
        if (end)
            *end++ = '\0';
        error = parse_event(parse, list);
        if (error)
            return error;
        list = end;
    }
    return 0;
}

/* Pages as the real perf counts them, or bytes with a unit. */
static int parse_ring_size(struct parse *parse, const char *word)
{
    uint64_t *size = &parse->options->recording.ring_size;
    size_t length = strlen(word);
    char last = length ? word[length - 1] : '\0';

    if (!parse_number(word, true, size) || *size == 0)
        return refuse(parse->why, EINVAL,
                      "ring size \"%s\": pages, or bytes with k or m, are possible", word);
    if (last >= '0' && last <= '9')
        *size *= PAGE_SIZE;
    return 0;
}

/* As in perf, for the events of the -e before it. */
static int parse_filter(struct parse *parse, const char *text)
{
    struct recording_options *recording = &parse->options->recording;

    if (parse->last == recording->event_count)
        return refuse(parse->why, EINVAL, "--filter stands behind the -e EVENT that it is for");
    for (unsigned i = parse->last; i < recording->event_count; i++) {
        struct event_spec *event = &recording->events[i];
        int error;

        if (!event->source->has_fields)
            return refuse(parse->why, EINVAL,
                          "--filter: %s is no tracepoint, it has no fields; its hits have: "
                          "-e %s -e breakpoint:hit --filter '%s'",
                          event->name, event->name, text);
        error =
            filter_compile(&event->filter, text, tracepoint_by_id(event->attr.config), parse->why);
        if (error)
            return error;
    }
    return 0;
}

/* What a -e adds, each with the trigger. */
static int parse_trigger(struct parse *parse, char *list)
{
    struct recording_options *recording = &parse->options->recording;
    int error = parse_events(parse, list);

    for (unsigned i = parse->last; !error && i < recording->event_count; i++)
        recording->events[i].trigger = true;
    return error;
}

/* Likewise: its hits open the window of branches. */
static int parse_start(struct parse *parse, char *list)
{
    struct recording_options *recording = &parse->options->recording;
    int error = parse_events(parse, list);

    for (unsigned i = parse->last; !error && i < recording->event_count; i++)
        recording->events[i].start = true;
    return error;
}

static int parse_span(struct parse *parse, const char *option, char *list)
{
    struct recording_options *recording = &parse->options->recording;
    enum tally_role role = strcmp(option, "--from") == 0 ? TALLY_BEGINS : TALLY_ENDS;
    int error = parse_events(parse, list);

    return error ? error
                 : span_option_mark(&recording->events[parse->last],
                                    recording->event_count - parse->last, role, option, parse->why);
}

static int parse_pid(struct parse *parse, const char *word)
{
    uint64_t pid;

    if (!parse_number(word, false, &pid) || pid == 0 || pid > INT32_MAX)
        return refuse(parse->why, EINVAL, "pid \"%s\": `ps` lists those that there are", word);
    parse->pid = (uint32_t)pid;
    return 0;
}

static int refuse_cpus(struct parse *parse, const char *list)
{
    unsigned cpus = arch_cpus();

    if (cpus == 1)
        return refuse(parse->why, EINVAL, "-C \"%s\": this machine has CPU 0 alone", list);
    return refuse(
        parse->why, EINVAL,
        "-C \"%s\": CPUs by number between commas, and ranges as in 0-2: this machine has "
        "0 to %u",
        list, cpus - 1);
}

/* Reads a CPU's number at *at, and moves it past. */
static bool parse_cpu(const char **at, unsigned *cpu)
{
    uint64_t number;

    if (number_read(at, 10, arch_cpus() - 1, &number) != NUMBER_READ)
        return false;
    *cpu = (unsigned)number;
    return true;
}

/* 0,2-3 */
static int parse_cpus(struct parse *parse, const char *list)
{
    const char *at = list;

    for (;;) {
        unsigned first, last;

        if (!parse_cpu(&at, &first))
            return refuse_cpus(parse, list);
        last = first;
        if (*at == '-' && (at++, !parse_cpu(&at, &last) || last < first))
            return refuse_cpus(parse, list);
        for (unsigned cpu = first; cpu <= last; cpu++)
            parse->cpus |= 1ull << cpu;
        if (*at == '\0')
            return 0;
        if (*at++ != ',')
            return refuse_cpus(parse, list);
    }
}

static int parse_valued(struct parse *parse, const char *option, char *value)
{
    struct recording_options *recording = &parse->options->recording;

    if (stat_option_is(option))
        return stat_option_parse(&parse->options->stat, option, value, parse->why);
    if (tally_option_is(option))
        return tally_option_parse(recording->events + parse->last,
                                  recording->event_count - parse->last, option, value, parse->why);
    if (strcmp(option, "-e") == 0 || strcmp(option, "--event") == 0)
        return parse_events(parse, value);
    if (strcmp(option, "--from") == 0 || strcmp(option, "--to") == 0)
        return parse_span(parse, option, value);
    if (strcmp(option, "--key") == 0) {
        parse->key = value;
        return 0;
    }
    if (strcmp(option, "--trigger") == 0)
        return parse_trigger(parse, value);
    if (strcmp(option, "--start") == 0)
        return parse_start(parse, value);
    if (strcmp(option, "--filter") == 0)
        return parse_filter(parse, value);
    if (strcmp(option, "-c") == 0 || strcmp(option, "--count") == 0)
        return parse_period(parse, value, &parse->all.period);
    if (strcmp(option, "-F") == 0 || strcmp(option, "--freq") == 0)
        return parse_frequency(parse, value, &parse->all.frequency);
    if (strcmp(option, "-m") == 0 || strcmp(option, "--mmap-pages") == 0)
        return parse_ring_size(parse, value);
    if (strcmp(option, "-p") == 0 || strcmp(option, "--pid") == 0)
        return parse_pid(parse, value);
    if (strcmp(option, "-C") == 0 || strcmp(option, "--cpu") == 0)
        return parse_cpus(parse, value);
    if (strcmp(option, "--skip") == 0)
        return parse_skip(parse, value, &parse->all.skip);
    return parse_chain(parse, value, &parse->all.chain);
}

static bool option_takes_value(const char *option)
{
    static const char *const valued[] = {
        "-e",           "--event", "-c",      "--count",   "-F",           "--freq",   "-m",
        "--mmap-pages", "--skip",  "--start", "--trigger", "--call-graph", "--filter", "-p",
        "--pid",        "--from",  "--to",    "--key",     "-C",           "--cpu"};

    for (unsigned i = 0; i < sizeof(valued) / sizeof(valued[0]); i++)
        if (strcmp(option, valued[i]) == 0)
            return true;
    return tally_option_is(option);
}

static int parse_flag(struct parse *parse, const char *option)
{
    if (strcmp(option, "-g") == 0)
        parse->all.chain = parse->all.chain ? parse->all.chain : CHAIN_DEFAULT;
    else if (strcmp(option, "--verify-chain") == 0)
        parse->verify = true;
    else if (strcmp(option, "--intr-regs") == 0)
        parse->all.registers = 1;
    else if (strcmp(option, "-R") == 0 || strcmp(option, "--raw-samples") == 0)
        parse->all.raw = 1;
    else if (strcmp(option, "--no-raw-samples") == 0)
        parse->all.raw = -1;
    else if (strcmp(option, "--overwrite") == 0)
        parse->options->recording.overwrite = true;
    else if (strcmp(option, "-z") == 0)
        parse->options->recording.compress = true;
    else if (strcmp(option, "-a") == 0 || strcmp(option, "--all-cpus") == 0)
        parse->all_threads = true;
    else if (strcmp(option, "-f") == 0 || strcmp(option, "--force") == 0)
        return 0; /* nothing to overrule */
    else if (parse->counting)
        return refuse(parse->why, EINVAL,
                      "unknown option \"%s\"; there are -e EVENT, --filter EXPR, --start EVENT, "
                      "--by KEY, --hist FIELD, --from EVENT, --to EVENT, --key FIELD, -p PID, -C "
                      "CPUS, -a, -r N, -I MS, -- COMMAND",
                      option);
    else
        return refuse(parse->why, EINVAL,
                      "unknown option \"%s\"; there are -e EVENT, -g, --call-graph, --skip, "
                      "--verify-chain, -c, -F, -m, --overwrite, -z, --by, --hist, --from, --to, "
                      "--key, --start, "
                      "--trigger, --intr-regs, --no-raw-samples, --filter, -p, -C, -a, -f, "
                      "-- COMMAND",
                      option);
    return 0;
}

static bool wants_chain(const struct event_spec *event)
{
    return event->attr.sample_type & PERF_SAMPLE_CALLCHAIN;
}

static enum unwind_method method_of(enum chain_term chain)
{
    if (chain == CHAIN_DEFAULT)
        return unwind_default();
    return chain == CHAIN_ORC ? UNWIND_BY_TABLE : UNWIND_BY_FRAME_POINTER;
}

static void apply_chain(struct event_spec *event, enum chain_term chain, uint64_t skip, bool verify)
{
    if (chain == CHAIN_UNSAID || chain == CHAIN_NO)
        return;
    event->attr.sample_type |= PERF_SAMPLE_CALLCHAIN;
    event->chain =
        (struct sample_chain){.method = method_of(chain), .skip = (unsigned)skip, .verify = verify};
}

static bool is_weighted(const struct perf_event_attr *attr)
{
    const struct tracepoint *tracepoint = tracepoint_of_event(attr);

    return tracepoint && tracepoint->weighted;
}

/* A period that may differ from sample to sample stands in each. */
static void apply_rate(struct event_spec *event, const struct event_terms *terms)
{
    struct perf_event_attr *attr = &event->attr;
    uint64_t frequency = terms->frequency;

    if (!terms->period && !frequency)
        frequency = event->source->hertz_default;
    if (frequency == FREQUENCY_MAX)
        frequency = event->source->hertz_max;
    if (terms->period || frequency || is_weighted(attr) || event->tally.role == TALLY_ENDS)
        attr->sample_type |= PERF_SAMPLE_PERIOD;
    if (frequency) {
        attr->freq = 1;
        attr->sample_freq = frequency;
    } else {
        attr->sample_period = terms->period ? terms->period : 1;
    }
}

static void apply_terms(struct event_spec *event, const struct event_terms *own,
                        const struct event_terms *all, bool verify)
{
    struct perf_event_attr *attr = &event->attr;
    static const struct event_terms nothing;

    attr->sample_type = SAMPLE_ALWAYS;
    attr->sample_id_all = 1;
    apply_rate(event, own->period || own->frequency ? own : all);
    if (event->source->follows) /* -g and --intr-regs are for those events that have them */
        all = &nothing;
    event->window.instructions = own->window;
    event->stop = own->stop;
    apply_chain(event, own->chain ? own->chain : all->chain, own->skip ? own->skip : all->skip,
                verify);
    if (own->registers ? own->registers > 0 : all->registers > 0) {
        attr->sample_type |= PERF_SAMPLE_REGS_INTR;
        attr->sample_regs_intr = ARCH_SAMPLED;
    }
    /* As in perf, a tracepoint's samples have its record unless an option or term says no. */
    if (event->source->has_fields && (own->raw ? own->raw : all->raw) >= 0)
        attr->sample_type |= PERF_SAMPLE_RAW;
}

/* The options are for those events that have a record; the term is for this one. */
static int check_raw(struct parse *parse)
{
    const struct recording_options *recording = &parse->options->recording;

    for (unsigned i = 0; i < recording->event_count; i++)
        if (parse->own[i].raw > 0 && !recording->events[i].source->has_fields)
            return refuse(parse->why, EINVAL, "raw=yes: %s is no tracepoint, it has no record",
                          recording->events[i].name);
    return 0;
}

/* Whether so many samples can be had of an event. */
static int check_rate(struct parse *parse, const struct event_spec *event)
{
    const struct perf_event_attr *attr = &event->attr;

    if (attr->freq && attr->sample_freq > event->source->hertz_max)
        return refuse(parse->why, EINVAL, "%s: %llu samples a second: %u are the most possible",
                      event->name, (unsigned long long)attr->sample_freq, event->source->hertz_max);
    if (!attr->freq && attr->sample_period < event->source->period_min)
        return refuse(parse->why, EINVAL,
                      "%s: a sample every %llu ns: every %llu ns is the most possible", event->name,
                      (unsigned long long)attr->sample_period,
                      (unsigned long long)event->source->period_min);
    return 0;
}

/* Period and frequency exclude each other. */
static int check_rates(struct parse *parse)
{
    const struct recording_options *recording = &parse->options->recording;
    int error = 0;

    if (parse->all.period && parse->all.frequency)
        return refuse(parse->why, EINVAL,
                      "-c and -F exclude each other: every N hits, or so many "
                      "samples a second");
    for (unsigned i = 0; !error && i < recording->event_count; i++) {
        const struct event_terms *own = &parse->own[i];
        const char *name = recording->events[i].name;

        if (own->period && own->frequency)
            return refuse(parse->why, EINVAL, "%s: period= and freq= exclude each other", name);
        error = check_rate(parse, &recording->events[i]);
    }
    return error;
}

static bool has_terms(const struct event_terms *terms)
{
    return terms->period || terms->frequency || terms->skip || terms->chain || terms->registers ||
           terms->raw || terms->stop;
}

/* Only samples tell which thread's time it was. */
static int check_clocks(struct parse *parse)
{
    const struct recording_options *recording = &parse->options->recording;

    for (unsigned i = 0; i < recording->event_count; i++) {
        const struct perf_event_attr *attr = &recording->events[i].attr;

        if (recording->events[i].source->counts_time &&
            (parse->pid || attr->exclude_user || attr->exclude_kernel))
            return refuse(parse->why, EINVAL,
                          "%s: perf stat counts all time; perf record samples a part of it",
                          recording->events[i].name);
    }
    return 0;
}

/* `perf stat` takes no samples: what says something of them is a mistake there. */
static int check_counting(struct parse *parse)
{
    bool tallied = false;

    if (parse->of_samples)
        return refuse(parse->why, EINVAL, "%s: perf stat only counts; perf record takes samples",
                      parse->of_samples);
    for (unsigned i = 0; i < parse->options->recording.event_count; i++)
        if (has_terms(&parse->own[i]))
            return refuse(parse->why, EINVAL,
                          "%s: its terms are of samples: perf stat only counts; perf record takes "
                          "samples",
                          parse->options->recording.events[i].name);
    for (unsigned i = 0; i < parse->options->recording.event_count; i++)
        tallied |= tally_is_wanted(&parse->options->recording.events[i].tally);
    if (stat_options_check(&parse->options->stat, parse->options->workload, tallied, parse->why) !=
        0)
        return -EINVAL;
    return check_clocks(parse);
}

/* Whether the chains that are wanted can be had. */
static int check_ways(struct parse *parse)
{
    const struct recording_options *recording = &parse->options->recording;

    if (parse->verify && !unwind_possible(UNWIND_BY_FRAME_POINTER))
        return refuse(parse->why, EINVAL,
                      "--verify-chain: this kernel has no frame pointers; one built with "
                      "UNWINDER=fp has both ways");
    if (parse->verify && !unwind_possible(UNWIND_BY_TABLE))
        return refuse(parse->why, EINVAL,
                      "--verify-chain: this kernel has no unwind table; it said why at boot");
    for (unsigned i = 0; i < recording->event_count; i++)
        if (wants_chain(&recording->events[i]) &&
            !unwind_possible(recording->events[i].chain.method))
            return refuse(parse->why, EINVAL,
                          "no way to make call chains in this kernel; it said why at boot");
    return 0;
}

/* An option about chains is a mistake if no event has chains. */
static int check_chains(struct parse *parse)
{
    const struct recording_options *recording = &parse->options->recording;
    const char *option = parse->verify ? "--verify-chain" : parse->all.skip ? "--skip" : NULL;
    bool any = false;

    for (unsigned i = 0; i < recording->event_count; i++) {
        bool chain = wants_chain(&recording->events[i]);

        any |= chain;
        if (parse->own[i].skip && !chain)
            return refuse(parse->why, EINVAL, "skip=%u without a call chain; -g makes them",
                          (unsigned)parse->own[i].skip);
    }
    if (option && !any)
        return refuse(parse->why, EINVAL, "%s without call chains; -g makes them", option);
    return check_ways(parse);
}

/* Which threads' hits are meant. */
static int check_whose(struct parse *parse)
{
    const struct recording_options *recording = &parse->options->recording;

    if (parse->all_threads && parse->pid)
        return refuse(parse->why, EINVAL,
                      "-a and -p exclude each other: the hits of all threads, or of thread %u",
                      parse->pid);
    for (unsigned i = 0; parse->cpus && i < recording->event_count; i++)
        if (recording->events[i].source->follows)
            return refuse(parse->why, EINVAL, "-C: %s follows a thread, wherever it runs",
                          recording->events[i].name);
    return 0;
}

/* What says something of chains and registers is a mistake where branches are all there is. */
static int check_alone(struct parse *parse)
{
    const struct recording_options *recording = &parse->options->recording;

    if (recording->event_count > 1 || !recording->events[0].source->follows ||
        (parse->all.chain <= CHAIN_NO && parse->all.registers <= 0))
        return 0;
    return refuse(parse->why, EINVAL, "%s: a branch has none, only from and to",
                  parse->all.registers > 0 ? "--intr-regs" : "-g");
}

static bool option_is_of_counts(const char *option)
{
    static const char *const counts[] = {"-e",     "--event", "--filter", "--start", "-a",
                                         "-p",     "--pid",   "-C",       "--cpu",   "--all-cpus",
                                         "--from", "--to",    "--key"};

    for (unsigned i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
        if (strcmp(option, counts[i]) == 0)
            return true;
    return stat_option_is(option) || tally_option_is(option);
}

static int parse_options(struct parse *parse, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        const char *option = argv[i];
        int error;

        if (strcmp(argv[i], "--") == 0) {
            parse->options->workload_count = argc - i - 1;
            parse->options->workload = argv + i + 1;
            break;
        }
        /* as in perf, the first word that is no option begins the workload */
        if (argv[i][0] != '-') {
            parse->options->workload_count = argc - i;
            parse->options->workload = argv + i;
            break;
        }
        if (!option_takes_value(argv[i]) && !(parse->counting && stat_option_is(argv[i])))
            error = parse_flag(parse, argv[i]);
        else if (i + 1 < argc)
            error = parse_valued(parse, argv[i], argv[i + 1]), i++;
        else
            error = refuse(parse->why, EINVAL, "option %s needs a value", argv[i]);
        if (error)
            return error;
        if (!parse->of_samples && !option_is_of_counts(option))
            parse->of_samples = option;
    }
    return 0;
}

/*
 * As in perf, a command without -e has events all the same: where the time goes, or for `perf stat`
 * what a person asks of a load first.
 */
static int add_defaults(struct parse *parse, bool counting)
{
    static const char *const counted[] = {"cpu-clock", "sched:sched_switch",
                                          "irq:irq_handler_entry", "raw_syscalls:sys_enter"};
    static const struct event_terms nothing;
    unsigned count = counting ? sizeof(counted) / sizeof(counted[0]) : 1;
    int error = 0;

    for (unsigned i = 0; !error && i < count; i++)
        error = add_event(parse, counted[i], &nothing);
    return error;
}

int perf_options_parse(int argc, char **argv, struct perf_options *options, struct refusal *why)
{
    static struct parse parse; /* one command at a time: large */
    struct recording_options *recording = &options->recording;
    int error;

    parse =
        (struct parse){.options = options, .counting = strcmp(argv[0], "stat") == 0, .why = why};
    *options = (struct perf_options){.recording = {.ring_size = RECORDING_RING_DEFAULT}};
    error = parse_options(&parse, argc, argv);
    if (error)
        return error;
    if (recording->event_count == 0)
        error = add_defaults(&parse, parse.counting);
    if (error)
        return error;
    if (options->workload && options->workload_count == 0)
        return refuse(why, EINVAL, "no command behind --");
    for (unsigned i = 0; i < recording->event_count; i++) {
        apply_terms(&recording->events[i], &parse.own[i], &parse.all, parse.verify);
        recording->events[i].cpus = parse.cpus;
    }
    error = span_options_choose(recording->events, recording->event_count, parse.key, why);
    if (error)
        return error;
    options->verify = parse.verify;
    options->all_threads = parse.all_threads || parse.cpus || !options->workload;
    if (parse.counting && (error = check_counting(&parse)) != 0)
        return error;
    error = targets_choose(recording->events, recording->event_count,
                           &(struct target_options){parse.pid,
                                                    options->workload ? options->workload[0] : NULL,
                                                    parse.all_threads},
                           why);
    if (!error)
        error = check_whose(&parse);
    if (!error)
        error = check_rates(&parse);
    if (!error)
        error = check_raw(&parse);
    if (!error)
        error = check_alone(&parse);
    if (!error)
        error = branches_choose(recording->events, recording->event_count, why);
    return error ? error : check_chains(&parse);
}
