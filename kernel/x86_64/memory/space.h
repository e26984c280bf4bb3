/* SPDX-License-Identifier: BSD-2-Clause */
/* Programs' address spaces, beyond kernel/x86_64/space.h: for arch and boot. */
#pragma once

#include "arch/memory.h"
#include "kernel/x86_64/memory/paging.h"
#include "kernel/x86_64/space.h"

/* The root table; the upper half is the kernel's. */
struct arch_space {
    uint64_t entry[PAGING_ENTRIES];
};

_Static_assert(sizeof(struct arch_space) == PAGE_SIZE, "a space is its root table");

/* Sets the functions that allocate (zeroed) and free pages. Boot, after paging_init. */
void space_init(void *(*allocate)(void), void (*give_back)(void *page));
