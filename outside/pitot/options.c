/* SPDX-License-Identifier: BSD-2-Clause */
/* See options.h. */
#include "outside/pitot/options.h"

#include <stddef.h>

#define AT(member) OPTION_AT(struct pitot_options, member)
#define BOTH       (PITOT_RECORD | PITOT_STAT)

static int add_event(void *at, const char *typed, char *value, struct refusal *why)
{
    struct spelt_events *events = at;

    if (events->count == EVENTS_MAX)
        return refuse(why, EINVAL, "%s: more than %d events", typed, EVENTS_MAX);
    events->text[events->count++] = value;
    return 0;
}

static const struct option rows[] = {
    OPTION({"-e", "--event"}, "EVENT", BOTH, OPTION_EVENTS,
           "instructions, mem:ADDR[/LEN][:r|w|rw], call:GLOB", OPTION_ADDS, .set = add_event,
           AT(events)),
    OPTION({"-g"}, NULL, PITOT_RECORD, OPTION_FLAG, "the call chain of each sample", AT(chains)),
    OPTION({"-c", "--count"}, "N", PITOT_RECORD, OPTION_NUMBER,
           "a sample every N instructions or hits", .least = 1, AT(period)),
    OPTION({"-o", "--output"}, "FILE", PITOT_RECORD, OPTION_TEXT, "where to write; perf.data",
           AT(output)),
    OPTION({"--kernel"}, "ELF", BOTH, OPTION_TEXT, "the kernel's file; what QEMU's -kernel names",
           AT(kernel)),
    {.names = {NULL}},
};

#define USAGE  "[OPTION]... -- QEMU ARGUMENT..."
#define OTHERS "an option of pitot record alone"

const struct options options_record = {.name = "record",
                                       .usage = USAGE,
                                       .summary = "samples a kernel in QEMU, into perf.data",
                                       .row = rows,
                                       .command = PITOT_RECORD,
                                       .workload = true};
const struct options options_stat = {.name = "stat",
                                     .usage = USAGE,
                                     .summary = "counts what a kernel in QEMU does",
                                     .row = rows,
                                     .command = PITOT_STAT,
                                     .others = OTHERS,
                                     .workload = true};

int pitot_options_read(const struct options *of, int argc, char **argv,
                       struct pitot_options *options, struct refusal *why)
{
    int at;

    *options = (struct pitot_options){.output = "perf.data"};
    at = options_parse(of, argc, argv, options, why);
    if (at < 0)
        return at;
    if (at == argc)
        return refuse(why, EINVAL, "no QEMU command; pitot %s " USAGE, of->name);
    options->qemu = argv + at;
    return 0;
}
