/* SPDX-License-Identifier: BSD-2-Clause */
/* Where the image lies: symbols of linker.ld, and both mappings of physical memory. */
#pragma once

#include "arch/x86_64/memory/sections.h"

extern const char _text[], _etext[];
extern const char rodata_start[], rodata_end[];
extern const char data_start[], image_end[];
extern const char kept_start[], kept_end[]; /* ARCH_KEPT: whole pages */
extern const char build_id_note[], build_id_note_end[];

/* physical 0 in the image's mapping */
#define KERNEL_BASE 0xffffffff80000000ull
/* physical 0 in the map of all memory */
#define DIRECT_BASE 0xffff800000000000ull

static inline uintptr_t image_physical(const void *address)
{
    return (uintptr_t)address - KERNEL_BASE;
}

static inline void *direct_address(uint64_t physical)
{
    return (void *)(DIRECT_BASE + physical);
}

static inline uint64_t direct_physical(const void *address)
{
    return (uintptr_t)address - DIRECT_BASE;
}
