/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Canonical addresses: bits 63 to 47 are all equal. Pure, any context. Source: Intel SDM vol. 1,
 * "Canonical Addressing".
 */
#include "arch/memory.h"

bool arch_canonical(uintptr_t address)
{
    return (uint64_t)((int64_t)(address << 16) >> 16) == address;
}
