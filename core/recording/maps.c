/* SPDX-License-Identifier: BSD-2-Clause */
/* See maps.h. */
#include "core/recording/maps.h"

#include "arch/arch.h"
#include "core/recording/comms.h"
#include "core/symbols/user_place.h"
#include "kernel/user/process.h"
#include "kernel/user/program.h"

/* `time`: 0 for what was there before. Data is not told, as perf does not ask for it either. */
static void note(const struct process *process, const struct process_mapping *mapping,
                 uint64_t time)
{
    const struct program *program = process->program;
    struct stream_task task = {.pid = process->pid,
                               .tid = process->pid,
                               .time = time,
                               .start = mapping->base,
                               .size = mapping->size,
                               .offset = mapping->offset};

    if (mapping->access != ARCH_PAGE_EXECUTE || !program)
        return;
    task.comm = program->path;
    task.build_id = program_has_build_id(program) ? program->build_id : NULL;
    recording_comms_add(&task);
}

static void note_all(const struct process *process, uint64_t time)
{
    for (unsigned i = 0; i < process->mapping_count; i++)
        note(process, &process->mapping[i], time);
}

static void started(const struct process *process)
{
    note_all(process, arch_clock_ns());
}

static void mapped(const struct process *process, const struct process_mapping *mapping)
{
    note(process, mapping, arch_clock_ns());
}

/* Whom the worker is left with was made by the console. */
static void ended(const struct process *process)
{
    bool by_process = process->parent < PROCESS_PARENT_JOB && process->parent;

    recording_comms_end(process->pid, by_process ? process->parent : TASK_PID);
}

/* The listener first: who starts meanwhile is noted once all the same. */
void recording_maps_start(void)
{
    static const struct process_listener listener = {started, mapped, ended};
    const struct process *process;

    process_set_listener(&listener);
    for (unsigned i = 0; i < PROCESSES_MAX; i++)
        if ((process = process_at(i)))
            note_all(process, 0);
}

void recording_maps_stop(void)
{
    process_set_listener(NULL);
}

/* What was mapped last there. */
static const struct stream_task *find(uint32_t pid, uintptr_t address)
{
    const struct stream_task *tasks;
    size_t count = recording_comms(&tasks);

    while (count-- > 0)
        if (tasks[count].pid == pid && address - tasks[count].start < tasks[count].size)
            return &tasks[count];
    return NULL;
}

bool user_place_find(uint32_t pid, uintptr_t address, struct user_place *place)
{
    const struct stream_task *mapping = find(pid, address);
    const struct program *program;

    if (!mapping)
        return false;
    program = (const struct program *)(mapping->comm - offsetof(struct program, path));
    place->program = program_number(program);
    place->path = program->path;
    place->file_offset = address - mapping->start + mapping->offset;
    place->named = symbol_table_find_address(&program->symbols, address, &place->symbol);
    return true;
}
