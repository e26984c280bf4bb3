/* SPDX-License-Identifier: BSD-2-Clause */
/* See rate.h. */
#include "core/gather/rate.h"

#include "core/gather/gathered.h"
#include "core/lib/number.h"
#include "core/lib/string.h"

#define SAID_MOST (1ull << 40) /* of a second, more than any source has */

int rate_set(void *at, const char *typed, char *value, struct refusal *why)
{
    uint64_t *frequency = at;

    (void)typed;
    if (number_word(value, SAID_MOST, frequency) && *frequency > 0)
        return 0;
    if (strcmp(value, "max") != 0)
        return refuse(why, EINVAL, "frequency \"%s\": a whole number from 1, or max, is possible",
                      value);
    *frequency = RATE_MOST;
    return 0;
}

static bool is_weighted(const struct perf_event_attr *attr)
{
    const struct tracepoint *tracepoint = tracepoint_of_event(attr);

    return tracepoint && tracepoint->weighted;
}

/* A period that may differ from sample to sample stands in each. */
void rate_apply(struct event_spec *event, const struct event_terms *terms)
{
    struct perf_event_attr *attr = &event->attr;
    uint64_t frequency = terms->frequency;

    if (!terms->period && !frequency)
        frequency = event->source->hertz_default;
    if (frequency == RATE_MOST)
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

static int check_rate(const struct event_spec *event, struct refusal *why)
{
    const struct perf_event_attr *attr = &event->attr;

    if (attr->freq && attr->sample_freq > event->source->hertz_max)
        return refuse(why, EINVAL, "%s: %llu samples a second: at most %u are possible",
                      event->name, (unsigned long long)attr->sample_freq, event->source->hertz_max);
    if (!attr->freq && attr->sample_period < event->source->period_min)
        return refuse(why, EINVAL, "%s: a sample every %llu ns: every %llu ns is the most possible",
                      event->name, (unsigned long long)attr->sample_period,
                      (unsigned long long)event->source->period_min);
    return 0;
}

int rates_check(const struct gathered *gathered, struct refusal *why)
{
    const struct recording_options *recording = &gathered->options->recording;
    int error = 0;

    for (unsigned i = 0; !error && i < recording->event_count; i++) {
        const struct event_terms *own = &gathered->own[i];

        if (own->period && own->frequency)
            return refuse(why, EINVAL, "%s: period= and freq= exclude each other",
                          recording->events[i].name);
        error = check_rate(&recording->events[i], why);
    }
    return error;
}
