/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What page tables map, leaf by leaf: a walk independent of the kernel's, to check its mappings
 * against the tables. Any context in which the tables do not change. Source: Intel's manual, volume
 * 3, "4-Level Paging".
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "kernel/x86_64/memory/paging.h"

/*
 * Finds the first leaf at or above `address` below the root table `root`; false if there is none.
 * To walk all leaves: `for (a = 0; leaves_next(root, a, &leaf) && ...; a = leaf.address +
 * leaf.size)`, until that wraps to 0.
 */
bool leaves_next(const uint64_t *root, uintptr_t address, struct paging_leaf *leaf);

/* The kernel's root table. */
const uint64_t *leaves_of_kernel(void);
