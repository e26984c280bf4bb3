/* SPDX-License-Identifier: BSD-2-Clause */
/* Static memory for the console commands. Task context, one caller at a time. */
#pragma once

#include <stddef.h>

#include "core/lib/refusal.h"

/* memory_take and memory_give of core/host.h. */
void *embed_memory_take(size_t bytes, struct refusal *why);
void embed_memory_give(void *from, size_t bytes);
