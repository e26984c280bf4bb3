/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Programs' address spaces (arch/space.h, docs/programs.md): what arch and boot need beside that.
 */
#pragma once

#include "arch/memory.h"
#include "arch/space.h"
#include "arch/x86_64/memory/paging.h"

/* The root table; its upper half is the kernel's own root table's. */
struct arch_space {
    uint64_t entry[512];
};

_Static_assert(sizeof(struct arch_space) == PAGE_SIZE, "a space is its root table");

/* Where pages come from (zeroed) and go to. After paging_init. Boot. */
void space_init(void *(*allocate)(void), void (*give_back)(void *page));

/* The space that this CPU, or one that stands still, is in; NULL: none but the kernel's. */
struct arch_space *space_of_cpu(unsigned cpu);
