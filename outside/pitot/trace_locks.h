/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Locks and wakes in a trace from outside: which functions the plugin is told of, and the events
 * that its records become. Called by outside/pitot/trace.c and trace_records.c.
 */
#pragma once

#include "outside/pitot/options.h"
#include "outside/pitot/watch.h"

/* Asks for those of --lock, --wake and so on, if there are any. */
int trace_locks_ask(struct watch *watch, const struct pitot_options *options, struct refusal *why);

/* Each adds its events. */
int trace_locks_slice(const struct wire_lock_slice *slice, struct refusal *why);
int trace_locks_wake(const struct wire_wake *wake, struct refusal *why);
int trace_locks_woken(const struct wire_woken *woken, struct refusal *why);

/* Locks that were taken or given back by code that is not named: after the run, prints how many. */
void trace_locks_count(const struct wire_lock *lock);
void trace_locks_tell(void);
