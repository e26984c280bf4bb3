/* SPDX-License-Identifier: BSD-2-Clause */
/* See terms.h. */
#include "core/perf/terms.h"

#include "arch/registers.h"
#include "core/lib/number.h"
#include "core/lib/option.h"
#include "core/lib/string.h"
#include "core/perf/option_values.h"
#include "core/perf/options.h"
#include "core/sample/sample.h"

#define RATE_TYPED_MOST (1ull << 40) /* per second, more than any source supports */

#define AT(member) OPTION_AT(struct event_terms, member)

static const struct option rows[] = {
    OPTION({"period"}, "N", 0, OPTION_NUMBER, "", .least = 1, AT(period)),
    OPTION({"freq"}, "HZ", 0, OPTION_TEXT, "", .set = terms_set_rate, AT(frequency)),
    OPTION({"call-graph"}, "orc|fp|no", 0, OPTION_TEXT, "", .set = chain_set, AT(chain)),
    OPTION({"skip"}, "N", 0, OPTION_NUMBER, "", CHAIN_SKIP, AT(skip)),
    OPTION({"regs"}, "yes|no", 0, OPTION_TEXT, "", .set = terms_set_answer, AT(registers)),
    OPTION({"raw"}, "yes|no", 0, OPTION_TEXT, "", .set = terms_set_answer, AT(raw)),
    OPTION({"window"}, "N", 0, OPTION_TEXT, "", .set = value_set_window, AT(window)),
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

/* Samples contain their period, unless it is 1 by default. */
static void apply_rate(struct event_spec *event, const struct event_terms *terms)
{
    struct perf_event_attr *attr = &event->attr;
    const struct tracepoint *tracepoint = tracepoint_of_event(attr);
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
