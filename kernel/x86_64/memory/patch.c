/* SPDX-License-Identifier: BSD-2-Clause */
/* Code is written through a second mapping, as text is never writable where it runs. */
#include "arch/patch.h"
#include "arch/memory.h"
#include "kernel/x86_64/memory/paging.h"

void *arch_text_open(uintptr_t address)
{
    return paging_alias_open(address & ~(PAGE_SIZE - 1)) + address % PAGE_SIZE;
}

void arch_text_close(void)
{
    paging_alias_close();
}
