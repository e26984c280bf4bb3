/* SPDX-License-Identifier: BSD-2-Clause */
/* See spinlock.h: the tracepoints of all locks. */
#include "kernel/lock/spinlock.h"

TRACEPOINT_DEFINE(lock, lock_acquire, LOCK_FIELDS);
TRACEPOINT_DEFINE(lock, lock_acquired, LOCK_FIELDS);
TRACEPOINT_DEFINE(lock, lock_release, LOCK_FIELDS);
TRACEPOINT_DEFINE(lock, lock_contended, LOCK_FIELDS);
TRACEPOINT_DEFINE(lock, contention_begin, CONTENTION_BEGIN_FIELDS);
TRACEPOINT_DEFINE(lock, contention_end, CONTENTION_END_FIELDS);
