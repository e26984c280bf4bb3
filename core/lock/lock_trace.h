/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The tracepoints of locks, for core/lock: asked for, had, given back, and found taken. Any context
 * that takes locks; what records them takes none.
 */
#pragma once

#include "core/perf/tracepoint.h"

#define LOCK_FIELDS(FIELD, of)                                                                     \
    FIELD(of, pointer, lock, "%p")                                                                 \
    FIELD(of, text, name, " %s")

TRACEPOINT_DECLARE(lock_acquire, LOCK_FIELDS);
TRACEPOINT_DECLARE(lock_acquired, LOCK_FIELDS);
TRACEPOINT_DECLARE(lock_release, LOCK_FIELDS);
TRACEPOINT_DECLARE(lock_contended, LOCK_FIELDS);
