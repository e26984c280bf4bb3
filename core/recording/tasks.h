/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The threads that a recording may have samples of, and the code that their programs have mapped:
 * those that live when it starts and those that come meanwhile, under the last name that they bore
 * before it stopped (in a stream that had begun by then, the name before). What has ended stays
 * known until the next recording. The host tells of them (core/host.h); the stream and
 * core/sample/comm.h, core/symbols/user_place.h read them.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/host.h"
#include "core/sample/records.h"

/* --- For the host. Task context; without effect while nothing is recorded. --- */

/*
 * A thread is born, by the current one, or gets a name; `lived`: it was there before the recording
 * (only host.tasks_tell says that). Before its first sample: with preemption off from the birth.
 */
void recording_task_named(uint32_t pid, const char *name, bool lived);

struct recording_mapping {
    uint64_t start, size, offset; /* [start, start + size) is the file's from `offset` on */
};

/* Code of that program's file is in the process's memory, before it runs. */
void recording_task_mapped(uint32_t pid, const struct host_program *program,
                           const struct recording_mapping *mapping, bool lived);

/* It has run its last instruction of a program. `parent`: the pid of what started it. */
void recording_task_ended(uint32_t pid, uint32_t parent);

/* --- For core/recording/recording.c and the stream. --- */

void recording_tasks_start(void);
void recording_tasks_stop(void);

/* All of them, in the order in which they were told. Any context. */
size_t recording_tasks(const struct recorded_task **all);

/* The program of a mapping that the above has returned. Any context. */
const struct host_program *recording_task_program(const struct recorded_task *mapping);

/* Threads, mappings and ends that came when the table was full: they are shown by number. */
uint64_t recording_tasks_lost(void);
