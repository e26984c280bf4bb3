/* SPDX-License-Identifier: BSD-2-Clause */
/* See chain.h. */
#include "core/perf/chain.h"

#include "core/lib/string.h"
#include "core/perf/options.h"

int chain_set(void *at, const char *typed, char *value, struct refusal *why)
{
    static const char *const possible[2][2] = {{"only no is", "fp and no are"},
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
                      possible[orc][fp]);
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

static bool wants_chain(const struct event_spec *event)
{
    return event->attr.sample_type & PERF_SAMPLE_CALLCHAIN;
}

void chain_apply(struct event_spec *event, enum chain_term term, uint64_t skip, bool verify)
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
