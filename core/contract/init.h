/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The part of pitot_init that the build chooses: core/embed/init.c in an object for other kernels,
 * core/contract/own.c where a kernel is linked with Pitot's own entries. Boot, task context.
 */
#pragma once

#include "core/pitot.h"

/* Returns which member that this build needs is missing, or NULL. */
const char *init_missing(const struct pitot_kernel *kernel);

/* Called once `host` has the structure. Returns why Pitot cannot work, or NULL. */
const char *init_parts(void);

/* Returns the registers of a frame in Pitot's form, perhaps in `room`. Any context. */
struct regs;
const struct regs *init_regs(const void *frame, struct regs *room);
