/* SPDX-License-Identifier: BSD-2-Clause */
/* This kernel as Pitot's host (core/host.h). */
#pragma once

#include <stddef.h>

/* Boot, before any function of Pitot is called. */
void host_init(void);

/* Memory that survives a reset, for the recorder, beside the ARCH_KEPT variables. Boot. */
void host_set_kept(void *start, size_t bytes);
