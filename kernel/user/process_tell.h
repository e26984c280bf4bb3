/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reports processes to a recording (core/recording/tasks.h), in the order of events: a process when
 * it is loaded, with its pid, name and mappings, before it runs; then each mapping that it adds;
 * and its end, after it has left user mode for good. Task context of the loading thread, or of the
 * process itself.
 */
#pragma once

#include "kernel/user/process.h"

void process_tell_started(const struct process *process);
void process_tell_mapped(const struct process *process, const struct process_mapping *mapping);
void process_tell_ended(const struct process *process);

/* Reports the mappings of all live processes (host.tasks_tell). */
void process_tell_all(void);
