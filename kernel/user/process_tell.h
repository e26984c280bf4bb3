/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reports to a recording (core/recording/tasks.h), in order: a process with its mappings before it
 * runs, each mapping added later, its end. In the loading thread, or in the process.
 */
#pragma once

#include "kernel/user/process.h"

/* `lived`: the process existed before the recording. */
void process_tell_mappings(const struct process *process, bool lived);
void process_tell_mapped(const struct process *process, const struct process_mapping *mapping,
                         bool lived);
void process_tell_ended(const struct process *process);

/* Reports the mappings of all live processes (host.tasks_tell). */
void process_tell_all(void);
