/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Maps and unmaps a process's memory, keeps its list of mappings, and reports processes to a
 * recording (core/pitot.h): first the process with its mappings, before it runs; then each mapping
 * that it adds; last its end. Reads and writes it for system calls. Runs in the loading thread, or
 * in the process's.
 */
#include "arch/local.h"
#include "arch/memory.h"
#include "core/pitot.h"
#include "kernel/hit/program.h"
#include "kernel/user/process.h"
#include "kernel/x86_64/user.h"

static void unmap_pages(struct process *process, uintptr_t base, size_t size)
{
    for (uintptr_t page = base; page < base + size; page += PAGE_SIZE)
        arch_space_unmap(process->space, page);
}

/* Mappings of data are not reported: perf does not request them either. */
static void tell_mapped(const struct process *process, const struct process_mapping *mapping,
                        bool lived)
{
    const struct pitot_mapping code = {mapping->base, mapping->size, mapping->offset};

    if (mapping->access == ARCH_PAGE_EXECUTE && process->program)
        pitot_program_mapped(process->pid, &process->program->known, &code, lived);
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
    local_barrier(); /* an NMI on this CPU sees a complete entry */
    process->mapping_count++;
    if (process->state == PROCESS_LIVES)
        tell_mapped(process, mapping, false);
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

void process_tell_mappings(const struct process *process, bool lived)
{
    for (unsigned i = 0; i < process->mapping_count; i++)
        tell_mapped(process, &process->mapping[i], lived);
}

/* A process without a parent process is reported as a child of the console's thread. */
void process_tell_ended(const struct process *process)
{
    bool by_process = process->parent < PROCESS_PARENT_JOB && process->parent;

    pitot_program_ended(process->pid, by_process ? process->parent : THREAD_PID);
}

void process_tell_all(void)
{
    const struct process *process;

    for (unsigned i = 0; i < PROCESSES_MAX; i++)
        if ((process = process_at(i)))
            process_tell_mappings(process, true);
}

/* --- Access by system calls. --- */

int user_get(uintptr_t from, void *to, size_t length)
{
    return arch_user_read(process_current()->space, from, to, length) ? 0 : -EFAULT;
}

int user_put(uintptr_t to, const void *from, size_t length)
{
    return arch_user_write(process_current()->space, to, from, length) ? 0 : -EFAULT;
}

int user_can_put(uintptr_t to, size_t length)
{
    size_t part;

    if (to == 0)
        return 0;
    for (; length > 0; length -= part, to += part) {
        part = length;
        if (!arch_user_reach(process_current()->space, to, ARCH_PAGE_WRITE, &part))
            return -EFAULT;
    }
    return 0;
}

int64_t user_get_text(uintptr_t from, char *to, size_t size)
{
    for (size_t done = 0, part; done < size; done += part) {
        const char *text;

        part = size - done;
        text = arch_user_reach(process_current()->space, from + done, ARCH_PAGE_READ, &part);
        if (!text)
            return -EFAULT;
        for (size_t i = 0; i < part; i++) {
            to[done + i] = text[i];
            if (text[i] == '\0')
                return (int64_t)(done + i);
        }
    }
    return -ENAMETOOLONG;
}
