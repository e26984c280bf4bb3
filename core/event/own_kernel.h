/* SPDX-License-Identifier: BSD-2-Clause */
/* Which kernel Pitot is linked into. Any context. */
#pragma once

#include <stdbool.h>

/*
 * True in Pitot's own kernel, where TAB completes, its tracepoints and make targets are there, and
 * breakpoint:hit has the fields of hits; false in a kernel that embeds Pitot.
 */
extern const bool own_kernel;
