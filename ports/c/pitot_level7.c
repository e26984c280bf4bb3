/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Level 7, the last boot's recording: memory from 33 MiB on, which neither the firmware nor the
 * loader uses. kept.ld (port.mk) has the object's section before it.
 */
#include "ports/c/kernel.h"

#define KEPT_SIZE (1 << 20)

extern char kept_start[]; /* kept.ld */

void *memory_kept(uint64_t *bytes)
{
    *bytes = KEPT_SIZE;
    return kept_start;
}
