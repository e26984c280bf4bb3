/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernel's tracepoints, copied from its memory, as core/stream/tracing_data.c wants them: this
 * answers tracepoint_by_id and tracepoint_id (core/tracepoint/tracepoint.h) in place of
 * core/tracepoint/list.c, which asks the linker.
 */
#pragma once

#include "core/abi/recorder.h"
#include "tools/postmortem/memory.h"

/* False, and the reason was printed. */
bool tracepoints_read(struct memory *memory, const struct recorder *recorder);
