/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A trace as viewers read it: Chrome's JSON, "Trace Event Format", which ui.perfetto.dev,
 * chrome://tracing, the Firefox Profiler and speedscope open. Events may come in any order.
 * Called by outside/pitot/trace*.c.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/lib/refusal.h"

enum trace_kind {
    TRACE_RUN,       /* a CPU runs a thread */
    TRACE_CALL,      /* slices of a thread: values: short calls in it, and their time */
    TRACE_INTERRUPT, /* values: vector, UINT64_MAX if not known; error code */
    TRACE_SYSCALL,
    TRACE_WAIT,   /* for a lock */
    TRACE_HOLD,   /* of one, on its track */
    TRACE_ACCESS, /* markers: values: address, bytes, enum wire_access, value if it has_values */
    TRACE_ENTRY,  /* a call; values: its arguments */
    TRACE_RETURN, /* values: the result */
    TRACE_WAKE,   /* values: what says who is woken; and how many wait for it, if has_values */
    TRACE_MARK,   /* any other */
    TRACE_WAKES,  /* an arrow to the TRACE_WOKEN with the same value; each lies in a slice */
    TRACE_WOKEN,
};

enum { TRACE_VALUES = 6 };

struct trace_event {
    uint64_t began, ended; /* in ns, or instructions; a marker has the same twice */
    uint64_t values[TRACE_VALUES];
    uint32_t name, text;      /* of trace_file_text; text: where it was, or what it said */
    uint32_t process, thread; /* whose track it is on */
    uint16_t depth;           /* events of the track around it */
    uint8_t kind;             /* enum trace_kind */
    bool has_values;
    bool before, cut; /* it began before the trace, unseen; it had not ended */
};

/*
 * Tracks of CPUs and of locks: these processes, and a thread for each, from that number on. No
 * others have such numbers.
 */
enum { TRACE_CPUS = 9999999, TRACE_LOCKS = 8999999 };

static inline void trace_file_put_on_cpu(struct trace_event *event, uint32_t cpu)
{
    event->process = TRACE_CPUS;
    event->thread = TRACE_CPUS + cpu;
}

/* Opens the file, and keeps all events, or the last `most` if it is not 0. `path` is kept. */
int trace_file_begin(const char *path, uint64_t most, struct refusal *why);

/* The number of a text that many events may have. Ends the program if memory runs out. */
uint32_t trace_file_text(const char *text);

int trace_file_add(const struct trace_event *event, struct refusal *why);

/* Events that are kept; slices that were added; and events that were overwritten. */
uint64_t trace_file_events(void);
uint64_t trace_file_slices(void);
uint64_t trace_file_lost(void);

/* Names a process, with thread 0, or a thread. */
void trace_file_name(uint32_t process, uint32_t thread, const char *name);
bool trace_file_has_name(uint32_t process, uint32_t thread);

/* What stands in the file's metadata. */
struct trace_about {
    const char *clock, *unit; /* which it is, and what a nanosecond of the file stands for */
    const char *kernel, *command;
};

/*
 * Sorts the events, and writes the file, which replaces an older one when it is whole; NULL: there
 * is none.
 */
int trace_file_end(const struct trace_about *about, struct refusal *why);
