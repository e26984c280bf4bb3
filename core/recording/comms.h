/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the stream tells of tasks: mappings of their code (core/recording/maps.h), and the
 * names of the threads that a recording may have samples of: those that live when it starts and
 * those that are born meanwhile, under the last name that they bore before it stopped (in a stream
 * that had begun by then, the name before). A thread that has ended keeps its name until the next
 * recording. Called by core/recording/recording.c in task context; comm_of (core/sample/comm.h)
 * answers from here in any.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "core/stream/stream.h"

void recording_comms_start(void);
void recording_comms_stop(void);

/* A mapping as well; not one that is there already. Its strings live on. Task context. */
void recording_comms_add(const struct stream_task *mapping);

/* A task's end, of whose birth this one was told. Task context. */
void recording_comms_end(uint32_t pid, uint32_t parent);

/* All of them, for the stream. */
size_t recording_comms(const struct stream_task **all);

/* Threads, mappings and ends that came when the table was full: they are shown by number. */
uint64_t recording_comms_lost(void);
