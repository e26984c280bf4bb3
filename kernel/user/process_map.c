/* SPDX-License-Identifier: BSD-2-Clause */
/* The memory of a process (kernel/user/process.h): maps and unmaps it, and records the mappings. */
#include "arch/local.h"
#include "arch/memory.h"
#include "arch/space.h"
#include "kernel/user/process.h"
#include "kernel/user/process_tell.h"

static void unmap_pages(struct process *process, uintptr_t base, size_t size)
{
    for (uintptr_t page = base; page < base + size; page += PAGE_SIZE)
        arch_space_unmap(process->space, page);
}

int process_map(struct process *process, const struct process_mapping *mapping)
{
    uintptr_t page = mapping->base, end = page + mapping->size;

    if (process->mapping_count == PROCESS_MAPPINGS)
        return -EINVAL;
    while (page < end && arch_space_map(process->space, page, mapping->access))
        page += PAGE_SIZE;
    if (page < end) {
        unmap_pages(process, mapping->base, page - mapping->base);
        return -ENOMEM;
    }
    process->mapping[process->mapping_count] = *mapping;
    local_barrier(); /* an NMI here sees a complete entry */
    process->mapping_count++;
    if (process->state == PROCESS_LIVES)
        process_tell_mapped(process, mapping, false);
    return 0;
}

void process_unmap(struct process *process, unsigned index)
{
    const struct process_mapping mapping = process->mapping[index];

    process->mapping[index] = process->mapping[process->mapping_count - 1];
    local_barrier();
    process->mapping_count--;
    unmap_pages(process, mapping.base, mapping.size);
}
