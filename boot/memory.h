/* SPDX-License-Identifier: BSD-2-Clause */
/* Page tables and free pages from the loader's memory map. Boot, interrupts off. */
#pragma once

#include "boot/information.h"

#define BOOT_MAP_END (4ull << 30) /* end of the physical memory mapped before memory_init, from 0 */

/* Returns an address for physical memory, before memory_init; NULL if it is not mapped. */
const void *memory_reach(uint64_t physical, size_t length);

/* Panics if there is too little memory. */
void memory_init(const struct boot_information *information);
