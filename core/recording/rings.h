/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory of a recording, allocated by the host: one ring per CPU, and other buffers. For
 * core/recording/; task context.
 */
#pragma once

#include <stddef.h>

#include "core/lib/refusal.h"
#include "core/recording/kept.h" /* for rings that survive a reset */
#include "core/recording/recording.h"
#include "core/ring/ring.h"

/*
 * Returns NULL if there is not enough memory; `why` then gives the purpose (`what`) and how much
 * memory there is.
 */
void *recording_take(size_t bytes, const char *what, struct refusal *why);

/*
 * The first gives back the memory of all CPUs' rings; the second allocates it for a recording with
 * these options. Returns 0, or -ENOMEM or -EINVAL, and then no ring has memory.
 */
void recording_rings_give(struct ring *rings);
int recording_rings_take(struct ring *rings, const struct recording_options *options,
                         struct refusal *why);
