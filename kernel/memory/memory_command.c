/* SPDX-License-Identifier: BSD-2-Clause */
/* The command `memory`: lists the page allocator's free blocks. Task context. */
#include <linux/errno.h>

#include "arch/memory.h"
#include "core/console/command.h"
#include "core/lib/print.h"
#include "kernel/memory/pages.h"
#include "kernel/x86_64/thread.h"

#define PAGE_KIB (PAGE_SIZE / 1024)

static int memory_run(int argc, char **argv)
{
    struct pages_counts counts = pages_counts();
    struct sink *out = command_output();

    (void)argc, (void)argv;
    print_to(out, "order  block KiB  free blocks   free KiB\n");
    for (unsigned order = 0; order < PAGES_ORDERS; order++)
        if (counts.free_blocks[order] > 0)
            print_to(out, "%5u %10zu %12zu %10zu\n", order, PAGE_KIB << order,
                     counts.free_blocks[order], (counts.free_blocks[order] << order) * PAGE_KIB);
    print_to(out, "%zu KiB of %zu are free\n", counts.free * PAGE_KIB, counts.total * PAGE_KIB);
    print_to(out, "%zu KiB are stacks, of threads or kept for the next ones\n",
             arch_stack_pages() * PAGE_KIB);
    return command_interrupted() ? -EINTR : 0;
}

COMMAND(memory_command) = {
    .name = "memory", .usage = "", .summary = "free memory, by size of block", .run = memory_run};
