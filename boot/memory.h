/* SPDX-License-Identifier: BSD-2-Clause */
/* From the loader's memory map to the kernel's page tables and free pages. Boot, interrupts off. */
#pragma once

#include "boot/multiboot2.h"

#define BOOT_MAP_END (4ull << 30) /* of what is mapped before memory_init: physical, from 0 on */

/* Panics, saying how much there is and how much is needed, on a machine that is too small. */
void memory_init(const struct boot_information *information);
