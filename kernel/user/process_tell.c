/* SPDX-License-Identifier: BSD-2-Clause */
/* See process_tell.h. */
#include "kernel/user/process_tell.h"

#include "core/recording/tasks.h"
#include "kernel/hit/program.h"

/* Data is not reported: perf does not request it either. */
void process_tell_mapped(const struct process *process, const struct process_mapping *mapping,
                         bool lived)
{
    const struct recording_mapping code = {mapping->base, mapping->size, mapping->offset};

    if (mapping->access == ARCH_PAGE_EXECUTE && process->program)
        recording_task_mapped(process->pid, &process->program->known, &code, lived);
}

void process_tell_mappings(const struct process *process, bool lived)
{
    for (unsigned i = 0; i < process->mapping_count; i++)
        process_tell_mapped(process, &process->mapping[i], lived);
}

/* A process without a parent process is reported as a child of the console's thread. */
void process_tell_ended(const struct process *process)
{
    bool by_process = process->parent < PROCESS_PARENT_JOB && process->parent;

    recording_task_ended(process->pid, by_process ? process->parent : TASK_PID);
}

void process_tell_all(void)
{
    const struct process *process;

    for (unsigned i = 0; i < PROCESSES_MAX; i++)
        if ((process = process_at(i)))
            process_tell_mappings(process, true);
}
