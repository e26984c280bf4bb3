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

/* --- For the host. Task context; no effect while nothing is recorded. --- */

/*
 * Reports that the current thread created or renamed the thread `pid`. `lived`: the thread existed
 * before the recording (true only from tasks_tell of struct pitot_kernel). Called before the
 * thread's first sample, with preemption off since its creation.
 */
void recording_task_named(uint32_t pid, const char *name, bool lived);

struct recording_mapping {
    uint64_t start, size, offset; /* [start, start + size) maps the file from `offset` on */
};

/* Reports that the process mapped code of the program's file. Called before that code runs. */
void recording_task_mapped(uint32_t pid, const struct pitot_program *program,
                           const struct recording_mapping *mapping, bool lived);

/* Reports that the process, started by `parent`, has run its last instruction of a program. */
void recording_task_ended(uint32_t pid, uint32_t parent);

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
