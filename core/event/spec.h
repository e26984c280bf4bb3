/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How a person spells an event, and the perf_event_attr it means:
 *
 *   mem:ADDR[/LEN][:ACCESS][:u|:k]   ADDR is a number (0x10 or 16), symbol, or symbol+offset. LEN
 *                                    is 1 to 32 bytes, by default the symbol's size (code: 1), and
 *                                    4 where there is none (8 for x). ACCESS is w, rw or x, by
 *                                    default rw
 *   mem:/PATH:ADDR[/LEN][:ACCESS]    the same in the program of this file, in each process that
 *                                    runs it; symbols are the program's
 *   cpu-clock[:u|:k]                 the time of the CPU, seen by an NMI (docs/sources.md)
 *   branches[:k|:u]                  branches taken, by single steps; branch-instructions is the
 *                                    same
 *   SYSTEM:NAME                      a tracepoint, lock:lock_acquire say; for patterns see
 *                                    core/perf/events.h
 *   5:ADDR                           as in the first mails about hardware breakpoint events:
 *                                    read-write, one byte
 *
 * Parsing decides only what the spelling means; whether a register can hold it is decided by the
 * arbiter (core/breakpoint/breakpoint.h). No side effects, apart from the symbol look-up; task
 * context.
 */
#pragma once

#include "core/breakpoint/breakpoint.h"
#include "core/event/source.h"
#include "core/lib/refusal.h"
#include "core/sample/records.h"
#include "core/sample/sample.h"
#include "core/tally/tally.h"
#include "core/tracepoint/filter.h"

/* Which part of the execution `branches` sees (core/event/source_branches.h). */
struct event_window {
    uint64_t instructions; /* it ends after so many instructions; 0: it does not end */
    bool started;          /* true: it opens at each hit of an event with `start`; false: it is the
                            * workload */
};

struct event_spec {
    /* type, size, config, bp_type, bp_addr, bp_len and exclude_* are set, the rest is 0. */
    struct perf_event_attr attr;
    char name[EVENT_NAME_SIZE]; /* the spelling */
    const struct event_source *source;
    /* Not part of the spelling: core/perf/. */
    struct filter filter;
    struct tally_plan tally; /* core/perf/tally_options.c */
    struct sample_chain chain;
    struct event_window window;
    struct breakpoint_target
        target;    /* the address space; set by PATH, or by the code that knows the workload */
    uint32_t pid;  /* only hits in this thread; 0: in any */
    uint64_t cpus; /* only hits on these CPUs, bit i: CPU i; 0: on any */
    bool followed; /* only hits in the workload's threads (task_followed) */
    bool start;    /* its hits open the window of `branches` */
    bool trigger;  /* its first sample ends the recording */
    bool stop;     /* each sample stops the program that was hit */
};

/* 0; or -EINVAL, -ENOENT with a reason (an unknown symbol's nearest names included). */
int event_spec_parse(const char *spelling, struct event_spec *spec, struct refusal *why);
