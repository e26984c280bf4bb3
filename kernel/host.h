/* SPDX-License-Identifier: BSD-2-Clause */
/* What this kernel gives Pitot (core/pitot.h). */
#pragma once

#include <stddef.h>

/* Boot, before any function of Pitot is called. */
void host_init(void);

/*
 * Passes memory that survives a reset to the recorder, in addition to the ARCH_KEPT variables.
 * Boot.
 */
void host_set_kept(void *start, size_t bytes);
