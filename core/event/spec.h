/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The spelling of events, and the perf_event_attr for each:
 *
 *   mem:ADDR[/LEN][:ACCESS][:u|:k]   ADDR is a place (core/symbols/place.h): 0x10, 16, symbol,
 *                                    symbol+4, symbol-4. LEN is 1 to 32 bytes; the default is the
 *                                    symbol's size (code: 1), or 4 if there is none (8 for x).
 *                                    ACCESS is w, rw or x; the default is rw
 *   mem:/PATH:ADDR[/LEN][:ACCESS]    the same in each process that runs the program PATH; symbols
 *                                    are those of the program
 *   cpu-clock[:u|:k]                 CPU time, sampled by an NMI (docs/sources.md)
 *   branches[:k|:u]                  taken branches, by single-stepping; also spelt
 *                                    branch-instructions
 *   SYSTEM:NAME                      a tracepoint, for example lock:lock_acquire; for patterns see
 *                                    core/perf/events.c
 *   5:ADDR                           mem:ADDR/1:rw, as the first mails about these events spell it
 *
 * The arbiter (core/breakpoint/breakpoint.h) decides whether the debug registers can hold a mem:
 * event. Task context.
 */
#pragma once

#include "arch/cpu.h"
#include "core/aggregate/aggregate.h"
#include "core/breakpoint/breakpoint.h"
#include "core/event/source.h"
#include "core/lib/refusal.h"
#include "core/sample/records.h"
#include "core/sample/sample.h"
#include "core/tracepoint/filter.h"

/* What `branches` records (core/event/source_branches.h). */
struct event_window {
    uint64_t instructions; /* 0: unlimited */
    bool started;          /* begins at each hit of an event with `start`, not with the workload */
};

struct event_spec {
    /* The parser sets type, size, config, bp_type, bp_addr, bp_len and exclude_*; the rest is 0. */
    struct perf_event_attr attr;
    char name[EVENT_NAME_SIZE]; /* the spelling */
    const struct event_source *source;
    /* Set by core/perf/, not part of the spelling. */
    struct filter filter;
    struct aggregate_plan aggregate;
    struct sample_chain chain;
    struct event_window window;
    struct breakpoint_target target; /* address space, from PATH or from the workload */
    uint32_t pid;                    /* only hits of this thread; 0: any thread */
    uint64_t cpus;                   /* only hits on these CPUs (bit i: CPU i); 0: any CPU */
    bool followed;                   /* only hits of the workload's threads (task_followed) */
    bool start;                      /* its hits open the window of `branches` */
    bool trigger;                    /* its first sample ends the recording */
    bool stop;                       /* each sample stops the program that was hit */
};

_Static_assert(ARCH_CPUS_MAX <= 64, "`cpus` has a bit for each CPU");

/* Returns 0, or -EINVAL or -ENOENT and the reason, with the nearest names of an unknown symbol. */
int event_spec_parse(const char *spelling, struct event_spec *spec, struct refusal *why);
