/* SPDX-License-Identifier: BSD-2-Clause */
/* The terms of options.h, those for call chains among them. */
#include "core/perf/options.h"

#include "arch/regs.h"
#include "core/lib/number.h"
#include "core/lib/option.h"
#include "core/lib/string.h"

#define RATE_TYPED_MOST (1ull << 40) /* per second, more than any source supports */
#define WINDOW_MOST     (1ull << 40) /* instructions: weeks of single steps */

#define AT(member) OPTION_AT(struct event_terms, member)

/* Sets a uint64_t to a number of instructions, given with or without the unit k or m. */
static int set_window(void *at, const char *typed, char *value, struct refusal *why)
{
    bool unit;

    (void)typed;
    if (number_parse_size(value, WINDOW_MOST, at, &unit))
        return 0;
    return refuse(why, EINVAL,
                  "window \"%s\": a number of instructions from 1 on, also with k, m or g", value);
}

static const struct option rows[] = {
    OPTION({"period"}, "N", 0, OPTION_NUMBER, "", .least = 1, AT(period)),
    OPTION({"freq"}, "HZ", 0, OPTION_TEXT, "", .set = terms_set_rate, AT(frequency)),
    OPTION({"call-graph"}, "orc|fp|no", 0, OPTION_TEXT, "", .set = chain_set, AT(chain)),
    OPTION({"skip"}, "N", 0, OPTION_NUMBER, "", CHAIN_SKIP, AT(skip)),
    OPTION({"regs"}, "yes|no", 0, OPTION_TEXT, "", .set = terms_set_answer, AT(registers)),
    OPTION({"raw"}, "yes|no", 0, OPTION_TEXT, "", .set = terms_set_answer, AT(raw)),
    OPTION({"window"}, "N", 0, OPTION_TEXT, "", .set = set_window, AT(window)),
    OPTION({"stop"}, NULL, 0, OPTION_FLAG, "", AT(stop)),
    {.names = {NULL}},
};
static const struct options possible = {.row = rows};

int terms_set_answer(void *at, const char *typed, char *value, struct refusal *why)
{
    bool no = value ? strcmp(value, "no") == 0 : strncmp(typed, "--no-", 5) == 0;

    if (value && !no && strcmp(value, "yes") != 0)
        return refuse(why, EINVAL, "event term \"%s=%s\": must be yes or no", typed, value);
    *(int *)at = no ? -1 : 1;
    return 0;
}

int terms_parse(char *event, struct event_terms *terms, struct refusal *why)
{
    return options_read_terms(&possible, event, terms, why);
}

bool terms_has_any(const struct event_terms *terms)
{
    return terms->period || terms->frequency || terms->skip || terms->chain || terms->registers ||
           terms->raw || terms->stop;
}

int terms_set_rate(void *at, const char *typed, char *value, struct refusal *why)
{
    uint64_t *frequency = at;

    (void)typed;
    if (number_parse(value, RATE_TYPED_MOST, frequency) && *frequency > 0)
        return 0;
    if (strcmp(value, "max") != 0)
        return refuse(why, EINVAL, "frequency \"%s\": a whole number from 1, or max, is allowed",
                      value);
    *frequency = RATE_MOST;
    return 0;
}

int chain_set(void *at, const char *typed, char *value, struct refusal *why)
{
    static const char *const allowed[2][2] = {{"only no is", "fp and no are"},
                                              {"orc and no are", "orc, fp and no are"}};
    bool orc = unwind_possible(UNWIND_BY_TABLE), fp = unwind_possible(UNWIND_BY_FRAME_POINTER);
    enum chain_term *term = at;

    (void)typed;
    if (strcmp(value, "no") == 0)
        *term = CHAIN_NO;
    else if (strcmp(value, "orc") == 0 && orc)
        *term = CHAIN_ORC;
    else if (strcmp(value, "fp") == 0 && fp)
        *term = CHAIN_FP;
    else
        return refuse(why, EINVAL, "call-graph \"%s\": %s allowed in this kernel", value,
                      allowed[orc][fp]);
    return 0;
}

int chain_set_default(void *at, const char *typed, char *value, struct refusal *why)
{
    enum chain_term *term = at;

    (void)typed, (void)value, (void)why;
    if (*term == CHAIN_UNSAID || *term == CHAIN_NO) /* as in perf, an explicit method is kept */
        *term = CHAIN_DEFAULT;
    return 0;
}

/* Samples contain their period, unless it is 1 by default. */
static void apply_rate(struct event_spec *event, const struct event_terms *terms)
{
    struct perf_event_attr *attr = &event->attr;
    const struct pitot_tracepoint *tracepoint = tracepoint_of_event(attr);
    bool weighted = tracepoint && tracepoint->weighted;
    uint64_t frequency = terms->frequency;

    if (!terms->period && !frequency)
        frequency = event->source->hertz_default;
    if (frequency == RATE_MOST)
        frequency = event->source->hertz_max;
    if (terms->period || frequency || weighted || event->aggregate.role == AGGREGATE_ENDS)
        attr->sample_type |= PERF_SAMPLE_PERIOD;
    if (frequency) {
        attr->freq = 1;
        attr->sample_freq = frequency;
    } else {
        attr->sample_period = terms->period ? terms->period : 1;
    }
}

static void chain_apply(struct event_spec *event, enum chain_term term, uint64_t skip, bool verify)
{
    enum unwind_method method = UNWIND_BY_FRAME_POINTER;

    if (term == CHAIN_UNSAID || term == CHAIN_NO)
        return;
    if (term == CHAIN_DEFAULT)
        method = unwind_default();
    else if (term == CHAIN_ORC)
        method = UNWIND_BY_TABLE;
    event->attr.sample_type |= PERF_SAMPLE_CALLCHAIN;
    event->chain =
        (struct sample_chain){.method = method, .skip = (unsigned)skip, .verify = verify};
}

static void apply(struct event_spec *event, const struct event_terms *own,
                  const struct event_terms *all, bool verify)
{
    struct perf_event_attr *attr = &event->attr;
    static const struct event_terms nothing;

    attr->sample_type = SAMPLE_ALWAYS;
    attr->sample_id_all = 1;
    apply_rate(event, own->period || own->frequency ? own : all);
    if (event->source->follows) /* -g and --intr-regs are not for branches */
        all = &nothing;
    event->window.instructions = own->window;
    event->stop = own->stop;
    chain_apply(event, own->chain ? own->chain : all->chain, own->skip ? own->skip : all->skip,
                verify);
    if (own->registers ? own->registers > 0 : all->registers > 0) {
        attr->sample_type |= PERF_SAMPLE_REGS_INTR;
        attr->sample_regs_intr = ARCH_SAMPLED;
    }
    /* As in perf, a tracepoint's samples include its record by default. */
    if (event->source->has_fields && (own->raw ? own->raw : all->raw) >= 0)
        attr->sample_type |= PERF_SAMPLE_RAW;
}

void terms_apply(struct perf_options *options)
{
    struct recording_options *recording = &options->recording;

    for (unsigned i = 0; i < recording->event_count; i++)
        apply(&recording->events[i], &options->own[i], &options->all, options->verify);
}

static int check_rate(const struct event_spec *event, const struct event_terms *own,
                      struct refusal *why)
{
    const struct perf_event_attr *attr = &event->attr;

    if (own->period && own->frequency)
        return refuse(why, EINVAL, "%s: period= and freq= cannot be combined", event->name);
    if (attr->freq && attr->sample_freq > event->source->hertz_max)
        return refuse(why, EINVAL, "%s: %llu samples a second: at most %u are allowed", event->name,
                      (unsigned long long)attr->sample_freq, event->source->hertz_max);
    if (!attr->freq && attr->sample_period < event->source->period_min)
        return refuse(why, EINVAL, "%s: a sample every %llu ns: every %llu ns is the most possible",
                      event->name, (unsigned long long)attr->sample_period,
                      (unsigned long long)event->source->period_min);
    return 0;
}

int terms_check(const struct perf_options *options, struct refusal *why)
{
    const struct recording_options *recording = &options->recording;
    const struct event_terms *all = &options->all;
    int error = 0;

    for (unsigned i = 0; !error && i < recording->event_count; i++)
        error = check_rate(&recording->events[i], &options->own[i], why);
    if (error)
        return error;
    /* The option -R applies only to events that have a record; a term applies to its own event. */
    for (unsigned i = 0; i < recording->event_count; i++)
        if (options->own[i].raw > 0 && !recording->events[i].source->has_fields)
            return refuse(why, EINVAL, "raw=yes: %s is not a tracepoint and has no record",
                          recording->events[i].name);
    /* The options for chains and registers need an event other than branches. */
    if (recording->event_count > 1 || !recording->events[0].source->follows ||
        (all->chain <= CHAIN_NO && all->registers <= 0))
        return 0;
    return refuse(why, EINVAL, "%s: a branch has only from and to",
                  all->registers > 0 ? "--intr-regs" : "-g");
}

static bool wants_chain(const struct event_spec *event)
{
    return event->attr.sample_type & PERF_SAMPLE_CALLCHAIN;
}

static int check_methods(const struct perf_options *options, struct refusal *why)
{
    const struct recording_options *recording = &options->recording;

    if (options->verify && !unwind_possible(UNWIND_BY_FRAME_POINTER))
        return refuse(why, EINVAL,
                      "--verify-chain: this kernel has no frame pointers; one built with "
                      "UNWINDER=fp has both ways");
    if (options->verify && !unwind_possible(UNWIND_BY_TABLE))
        return refuse(
            why, EINVAL,
            "--verify-chain: this kernel has no unwind table; a message at boot says why");
    for (unsigned i = 0; i < recording->event_count; i++)
        if (wants_chain(&recording->events[i]) &&
            !unwind_possible(recording->events[i].chain.method))
            return refuse(why, EINVAL,
                          "this kernel cannot make call chains; a message at boot says why");
    return 0;
}

int chains_check(const struct perf_options *options, struct refusal *why)
{
    const struct recording_options *recording = &options->recording;
    const char *option = options->verify ? "--verify-chain" : options->all.skip ? "--skip" : NULL;
    bool any = false;

    for (unsigned i = 0; i < recording->event_count; i++) {
        bool chain = wants_chain(&recording->events[i]);

        any |= chain;
        if (options->own[i].skip && !chain)
            return refuse(why, EINVAL, "skip=%u without a call chain; -g makes them",
                          (unsigned)options->own[i].skip);
    }
    if (option && !any)
        return refuse(why, EINVAL, "%s needs call chains: add -g", option);
    return check_methods(options, why);
}
