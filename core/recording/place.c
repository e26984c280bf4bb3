/* SPDX-License-Identifier: BSD-2-Clause */
/* Implements core/symbols/user_place.h with the mappings that the host reported. Any context. */
#include "core/recording/last.h"
#include "core/recording/tasks.h"
#include "core/symbols/user_place.h"

bool user_place_find(uint32_t pid, uintptr_t address, struct user_place *place)
{
    const struct recorded_task *tasks, *mapping = NULL; /* the newest with `address` */
    size_t count = recording_tasks(&tasks);
    const struct pitot_program *program;

    while (!mapping && count-- > 0)
        if (tasks[count].pid == pid && address - tasks[count].start < tasks[count].size)
            mapping = &tasks[count];
    /* The last boot's programs are unknown, so their functions stay addresses. */
    if (!mapping || last_shown())
        return false;
    program = recording_task_program(mapping);
    place->program = program->number;
    place->path = program->path;
    place->file_offset = address - mapping->start + mapping->offset;
    place->named =
        symbol_table_find_address(symbol_table_of(program->symbols), address, &place->symbol);
    return true;
}
