/* SPDX-License-Identifier: BSD-2-Clause */
/* Bits 63 to 47 are equal (Intel SDM vol. 1, "Canonical Addressing"). Pure, any context. */
#include "arch/memory.h"

bool arch_canonical(uintptr_t address)
{
    return (uint64_t)((int64_t)(address << 16) >> 16) == address;
}
