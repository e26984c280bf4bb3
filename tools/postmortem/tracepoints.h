/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernel's tracepoints, copied from its memory for core/stream/tracing_data.c: implements
 * tracepoint_by_id and tracepoint_id (core/tracepoint/tracepoint.h) in place of
 * core/tracepoint/list.c, which uses the linker's list.
 */
#pragma once

#include "core/abi/recorder.h"
#include "tools/postmortem/memory.h"

/* Returns false after printing the reason. */
bool tracepoints_read(struct memory *memory, const struct recorder *recorder);
