/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The plugin's records of a trace as events of its file. Called by outside/pitot/trace.c.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "outside/pitot/options.h"
#include "outside/pitot/trace_file.h"
#include "outside/pitot/watch.h"

#define KERNEL_PID 1 /* the kernel; address spaces of programs follow */

/* `functions`: sorted; calls of these only, if there are any. */
void trace_records_begin(const struct watch *watch, const uint64_t *functions, size_t count);

int trace_records_take(const struct wire_head *record, struct refusal *why);

/* Adds the event on the thread's track. */
int trace_records_add(struct trace_event *event, uint32_t thread, struct refusal *why);

/* The thread's name, as a CPU or a lock has it: a text of trace_file.h. */
uint32_t trace_records_thread(uint32_t thread);

/* When the plugin ended it by --max; 0: it did not. Calls that have no slice. */
uint64_t trace_records_full_at(void);
uint64_t trace_records_summed(void);

/* --- Locks and wakes: trace_locks.c --- */

/* Asks for those of --lock, --wake and so on, if there are any. */
int trace_locks_ask(struct watch *watch, const struct pitot_options *options, struct refusal *why);

/* Each adds its events. */
int trace_locks_slice(const struct wire_lock_slice *slice, struct refusal *why);
int trace_locks_wake(const struct wire_wake *wake, struct refusal *why);
int trace_locks_woken(const struct wire_woken *woken, struct refusal *why);

/* Locks that were taken or given back by code that is not named: after the run, prints how many. */
void trace_locks_count(const struct wire_lock *lock);
void trace_locks_tell(void);
