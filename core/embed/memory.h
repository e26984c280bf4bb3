/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory of the object's own for what the console's commands take. Task context, one caller. */
#pragma once

#include <stddef.h>

#include "core/lib/refusal.h"

/* As core/host.h wants them: memory_take, memory_give. */
void *embed_memory_take(size_t bytes, struct refusal *why);
void embed_memory_give(void *from, size_t bytes);
