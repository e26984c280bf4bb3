/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Hits as samples of a stream, which the code writes that writes the kernel's own
 * (core/stream/stream.h). A CPU stands for a task: from outside, the kernel's tasks are not known.
 * Called by tools/outside/main.c.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "tools/outside/kernel.h"
#include "tools/outside/point.h"
#include "tools/outside/watch.h"

/* `file` takes the stream; the points' names and places become its events. One at a time. */
void record_begin(FILE *file, const struct kernel *kernel, const struct point *points,
                  unsigned count, bool chains, uint64_t period);

/* `time` is in ns, from any start on. False: its chain ends before the outermost caller. */
bool record_hit(struct hit *hit, uint64_t time);

void record_end(uint64_t time);
