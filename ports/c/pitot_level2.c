/* SPDX-License-Identifier: BSD-2-Clause */
/* Level 2, breakpoints and the clock: reports mapped memory. */
#include "ports/c/kernel.h"

int is_mapped(uint64_t address, uint64_t length)
{
    return address >= (uint64_t)image_start && address + length <= (uint64_t)image_end;
}
