/* SPDX-License-Identifier: BSD-2-Clause */
/* What tells a build of a kernel from others, as text. Called by outside/pitot/race.c. */
#pragma once

#include "outside/pitot/kernel.h"

#define BUILD_NAME_ROOM (2 * KERNEL_BUILD_ID_MAX + 1)

/* Its build id or, if the linker has written none, a sum of its file; "": it was a pipe. */
int build_name(const struct kernel *kernel, char name[BUILD_NAME_ROOM], struct refusal *why);
