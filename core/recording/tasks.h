/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The threads of a recording, with their latest names, and the code that their programs mapped.
 * Exited threads stay known until the next recording. The kernel reports threads (core/pitot.h);
 * the stream, core/sample/records.h and core/symbols/user_place.h read them.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/host.h"
#include "core/sample/records.h"
#include "core/task.h"

/*
 * Reports a thread; pitot_thread_named and pitot_thread_lived (core/pitot.h) call it. No effect
 * while nothing is recorded. Task context.
 */
void recording_task_named(uint32_t pid, const char *name, bool lived);

/* --- For core/recording/recording.c and the stream. --- */

void recording_tasks_start(void);
void recording_tasks_stop(void);

/* Points *all to the entries, in the order of the reports; returns their number. Any context. */
size_t recording_tasks(const struct recorded_task **all);

/* Returns the program of a mapping from recording_tasks. Any context. */
const struct pitot_program *recording_task_program(const struct recorded_task *mapping);

/* Returns the latest name of the thread; "" if it has none. Any context. */
const char *recording_task_name(uint32_t tid);

/* Called first at boot. Moves the last boot's names to `to`, unchecked; returns their number. */
#define RECORDING_TASK_NAMES 1024

struct recording_task_name {
    uint32_t tid;
    char name[TASK_NAME_SIZE];
};
size_t recording_tasks_left(struct recording_task_name *to, size_t most);

/* Returns how many reports did not fit in the table; those threads are shown by number. */
uint64_t recording_tasks_lost(void);
