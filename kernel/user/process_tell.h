/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a recording is told of processes (core/recording/tasks.h), in the order in which it happens:
 * a process when it is loaded, its pid and name known, its mappings made, and before it runs; then
 * each mapping that it makes; and its end, when it has left user mode for good. Task context of the
 * loading thread, or of the process itself.
 */
#pragma once

#include "kernel/user/process.h"

void process_tell_started(const struct process *process);
void process_tell_mapped(const struct process *process, const struct process_mapping *mapping);
void process_tell_ended(const struct process *process);

/* Tells of the mappings of all processes that live (host.tasks_tell). */
void process_tell_all(void);
