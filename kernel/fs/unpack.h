/* SPDX-License-Identifier: BSD-2-Clause */
/* Unpacks an archive (kernel/fs/ustar.h) into files. Task context. */
#pragma once

#include <stddef.h>

#include "core/lib/refusal.h"

/*
 * Creates every entry, below the root directory. 0, or a negative errno and the reason: incomplete.
 */
int unpack(const void *bytes, size_t size, struct refusal *why);
