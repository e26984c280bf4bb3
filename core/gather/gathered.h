/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the words of a command have said, before it is applied to the events: their order is free.
 * The setters of core/option/table.c fill it, core/option/record.c and the checks that it calls
 * read it. Task context, one command at a time.
 */
#pragma once

#include "core/gather/options.h"
#include "core/gather/terms.h"

struct gathered {
    struct perf_options *options; /* the events are added here at once */
    struct event_terms all;
    struct event_terms own[RECORDING_EVENTS_MAX];
    unsigned last; /* the first event of the last option that added some */
    bool verify, overwrite, compress;
    bool all_threads;   /* -a */
    uint64_t ring_size; /* 0: not said */
    uint32_t pid;       /* of -p; 0: any */
    uint64_t cpus;      /* of -C, bit i: CPU i; 0: any */
    const char *key;    /* of --key; NULL: not said */
    struct stat_options stat;
    struct trace_options trace;
};
