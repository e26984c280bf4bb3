/* SPDX-License-Identifier: BSD-2-Clause */
/* From an archive (kernel/fs/ustar.h) to files. Task context. */
#pragma once

#include <stddef.h>

#include "core/lib/refusal.h"

/* Makes all of it, from the root on. 0; or a negative errno and the reason, the rest is missing. */
int unpack(const void *bytes, size_t size, struct refusal *why);
