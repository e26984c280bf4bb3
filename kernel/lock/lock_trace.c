/* SPDX-License-Identifier: BSD-2-Clause */
/* See lock_trace.h. */
#include "kernel/lock/lock_trace.h"

TRACEPOINT_DEFINE(lock, lock_acquire, LOCK_FIELDS);
TRACEPOINT_DEFINE(lock, lock_acquired, LOCK_FIELDS);
TRACEPOINT_DEFINE(lock, lock_release, LOCK_FIELDS);
TRACEPOINT_DEFINE(lock, lock_contended, LOCK_FIELDS);
TRACEPOINT_DEFINE(lock, contention_begin, CONTENTION_BEGIN_FIELDS);
TRACEPOINT_DEFINE(lock, contention_end, CONTENTION_END_FIELDS);
