/* SPDX-License-Identifier: BSD-2-Clause */
/* What to write in place of an event that does not exist. Task context. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "core/lib/refusal.h"

/* Says how to write a symbol that is spelt without mem:, or which tracepoints are near. */
int event_refuse_unknown(const char *spelling, struct refusal *why);

/* Lists the tracepoints nearest to `wrong`, with or without its system. False if none is near. */
bool event_near_tracepoints(const char *wrong, char *near, size_t size);
