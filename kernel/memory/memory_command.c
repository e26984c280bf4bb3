/* SPDX-License-Identifier: BSD-2-Clause */
/* The command `memory`: lists the page allocator's free blocks. Task context. */
#include <linux/errno.h>

#include "arch/memory.h"
#include "core/lib/print.h"
#include "core/pitot.h"
#include "kernel/console/input.h"
#include "kernel/memory/pages.h"
#include "kernel/x86_64/thread.h"

#define PAGE_KIB (PAGE_SIZE / 1024)

static int memory_run(int argc, char **argv)
{
    struct pages_counts counts = pages_counts();

    (void)argc, (void)argv;
    pitot_print("order  block KiB  free blocks   free KiB\n");
    for (unsigned order = 0; order < PAGES_ORDERS; order++)
        if (counts.free_blocks[order] > 0)
            pitot_print("%5u %10zu %12zu %10zu\n", order, PAGE_KIB << order,
                        counts.free_blocks[order], (counts.free_blocks[order] << order) * PAGE_KIB);
    pitot_print("%zu KiB of %zu are free\n", counts.free * PAGE_KIB, counts.total * PAGE_KIB);
    pitot_print("%zu KiB are stacks, of threads or kept for the next ones\n",
                arch_stack_pages() * PAGE_KIB);
    return input_interrupted() ? -EINTR : 0;
}

PITOT_COMMAND(memory, "", "free memory, by size of block", memory_run);
