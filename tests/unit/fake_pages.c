/* SPDX-License-Identifier: BSD-2-Clause */
/* The machine's pages for tests on the host, whose memory is the host's. */
#include <stdint.h>

#include "arch/memory.h"

uint64_t arch_page_number(const void *page)
{
    return (uintptr_t)page / PAGE_SIZE;
}
