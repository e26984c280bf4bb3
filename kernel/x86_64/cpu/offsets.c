/* SPDX-License-Identifier: BSD-2-Clause */
/* Layouts of this kernel for its assembly, like arch/x86_64/cpu/offsets.c. Never linked. */
#include <stddef.h>

#include "arch/x86_64/cpu/offset.h"
#include "kernel/x86_64/entry/stacks.h"
#include "kernel/x86_64/smp.h"

void offsets(void);

void offsets(void)
{
    EQU(SMP_START_PAGE_TABLES, offsetof(struct smp_start, page_tables));
    EQU(SMP_START_STACK, offsetof(struct smp_start, stack));
    EQU(STACK_PAGES_SIZE, sizeof(struct stack_pages));
}
