/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The threads that may be in a recording's samples, and the code that their programs have mapped:
 * the threads that exist when it starts and those that are born while it runs. Each has the last
 * name that it had before the recording stopped (in a stream that had already begun, its earlier
 * name). A thread that has ended stays known until the next recording. The host reports them
 * (core/host.h); the stream and core/sample/comm.h, core/symbols/user_place.h read them.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/host.h"
#include "core/sample/records.h"

/* --- For the host. Task context; without effect while nothing is recorded. --- */

/*
 * The current thread has made this one, or this thread gets a name. `lived`: it existed before the
 * recording (only host.tasks_tell says so). Called before its first sample, with preemption off
 * since its birth.
 */
void recording_task_named(uint32_t pid, const char *name, bool lived);

struct recording_mapping {
    uint64_t start, size, offset; /* [start, start + size) is the file's from `offset` on */
};

/*
 * Code of that program's file has been mapped into the process's memory. Called before the code
 * runs.
 */
void recording_task_mapped(uint32_t pid, const struct host_program *program,
                           const struct recording_mapping *mapping, bool lived);

/*
 * The process has run its last instruction of a program. `parent`: the pid of the process that
 * started it.
 */
void recording_task_ended(uint32_t pid, uint32_t parent);

/* --- For core/recording/recording.c and the stream. --- */

void recording_tasks_start(void);
void recording_tasks_stop(void);

/* Returns all entries in `all`, in the order in which the host reported them. Any context. */
size_t recording_tasks(const struct recorded_task **all);

/* The program of a mapping that recording_tasks has returned. Any context. */
const struct host_program *recording_task_program(const struct recorded_task *mapping);

/* The last name of that thread, "" if it has none. Any context. */
const char *recording_task_name(uint32_t tid);

/*
 * The names that the last boot left here, for core/recording/last.c, which knows whether that boot
 * was of this build. Nothing in them is believed. Boot, as is recording_tasks_clear, which comes
 * before anything else here.
 */
#define RECORDING_TASK_NAMES 1024

struct recording_task_name {
    uint32_t tid;
    char name[TASK_NAME_SIZE];
};
size_t recording_tasks_left(struct recording_task_name *to, size_t most);
void recording_tasks_clear(void);

/* Threads, mappings and ends that found the table full: they are shown by number only. */
uint64_t recording_tasks_lost(void);
