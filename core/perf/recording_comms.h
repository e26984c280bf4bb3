/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The names of the threads that a recording may have samples of: those that live when it starts and
 * those that are born meanwhile, under the last name that they bore before it stopped (in a stream
 * that had begun by then, the name before). A thread
 * that has ended keeps its name until the next recording. Called by core/perf/recording.c in task
 * context; comm_of (core/perf/comm.h) answers from here in any.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "core/perf/stream.h"

void recording_comms_start(void);
void recording_comms_stop(void);

/* All of them, for the stream. */
size_t recording_comms(const struct stream_task **all);

/* Threads that were born when the table was full: they are shown by number. */
uint64_t recording_comms_lost(void);
