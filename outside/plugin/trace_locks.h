/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernel's locks in a trace: who held each, and who waited for it, in the time of trace.h.
 * Called by outside/plugin/lock_functions.c and trace.c, with the plugin's lock, if run.trace.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "outside/plugin/held.h"
#include "outside/request.h"

void trace_locks_begin(const struct request *request);

/* A thread has asked for a lock, at this place and time. */
struct trace_asking {
    struct wire_place place;
    uint64_t at; /* clock_sum */
    uint32_t thread;
    bool contended; /* another thread held it then */
};

/* After held_takes: the thread has the lock. */
void trace_locks_takes(const struct lock *lock, const struct trace_asking *asking);

/* Before held_gives. */
void trace_locks_gives(const struct lock *lock);

/* At the end: the thread still waits for it. */
void trace_locks_waits(const struct lock *lock, const struct trace_asking *asking);

/* As trace_cut. */
void trace_locks_cut(void);
