/* SPDX-License-Identifier: BSD-2-Clause */
/* mmap and munmap: private anonymous memory, whole mappings only. Runs in the program's thread. */
#include <linux/errno.h>
#include <linux/mman.h>

#include "arch/memory.h"
#include "kernel/syscall/syscalls.h"
#include "kernel/user/process.h"

/* Mappings are placed from here upward; the stack lies above. */
#define MMAP_START  ((uintptr_t)0x7f0000000000)
#define MMAP_END    ((uintptr_t)0x7ffe00000000)
#define LENGTH_MOST (64ul << 20)

/* Returns a mapping that overlaps [base, base + size), or NULL if there is none. */
static const struct process_mapping *overlapped(const struct process *process, uintptr_t base,
                                                size_t size)
{
    for (unsigned i = 0; i < process->mapping_count; i++) {
        const struct process_mapping *mapping = &process->mapping[i];

        if (base < mapping->base + mapping->size && mapping->base < base + size)
            return mapping;
    }
    return NULL;
}

static int64_t map_anonymous(struct process *process, size_t size, enum arch_page access)
{
    struct process_mapping mapping = {
        .base = MMAP_START, .size = size, .access = access, .name = "//anon"};
    const struct process_mapping *other;
    int error;

    while ((other = overlapped(process, mapping.base, size)))
        mapping.base = other->base + other->size;
    if (mapping.base > MMAP_END - size)
        return -ENOMEM;
    error = process_map(process, &mapping);
    return error ? -ENOMEM : (int64_t)mapping.base;
}

int64_t sys_mmap(const struct regs *regs)
{
    const uint64_t length = regs->si, access = regs->dx, flags = regs->r10;

    if (flags != (MAP_PRIVATE | MAP_ANONYMOUS))
        return flags & MAP_ANONYMOUS ? -EINVAL : -ENODEV;
    if (length == 0 || !(access & PROT_READ) || access & ~(uint64_t)(PROT_READ | PROT_WRITE))
        return access & PROT_EXEC ? -EACCES : -EINVAL;
    if (length > LENGTH_MOST)
        return -ENOMEM;
    return map_anonymous(process_current(), (length + PAGE_SIZE - 1) & ~(PAGE_SIZE - 1),
                         access & PROT_WRITE ? ARCH_PAGE_WRITE : ARCH_PAGE_READ);
}

int64_t sys_munmap(const struct regs *regs)
{
    struct process *process = process_current();
    const uint64_t size = (regs->si + PAGE_SIZE - 1) & ~(PAGE_SIZE - 1);

    for (unsigned i = 0; i < process->mapping_count; i++) {
        const struct process_mapping *mapping = &process->mapping[i];

        if (mapping->base >= MMAP_START && mapping->base < MMAP_END && mapping->base == regs->di &&
            mapping->size == size) {
            process_unmap(process, i);
            return 0;
        }
    }
    return -EINVAL;
}
