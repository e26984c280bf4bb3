/* SPDX-License-Identifier: BSD-2-Clause */
/* From the loader's memory map to the kernel's page tables and free pages. Boot, interrupts off. */
#pragma once

#include "boot/information.h"

#define BOOT_MAP_END (4ull << 30) /* of what is mapped before memory_init: physical, from 0 on */

/* Physical memory of that length to read before memory_init, or NULL: out of that mapping. */
const void *memory_reach(uint64_t physical, size_t length);

/* Panics, saying how much there is and how much is needed, on a machine that is too small. */
void memory_init(const struct boot_information *information);
