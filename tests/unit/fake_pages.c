/* SPDX-License-Identifier: BSD-2-Clause */
/* The machine's pages for host tests, which use the host's memory. */
#include <stdint.h>

#include "arch/memory.h"

uint64_t arch_page_number(const void *page)
{
    return (uintptr_t)page / PAGE_SIZE;
}
