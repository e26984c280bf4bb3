/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * See spinlock.h: the tracepoints of all locks. Fields are Linux's (docs/tracepoints.md), plus
 * `name` where Linux has none. `ret` is 0: a thread that waits always gets the lock.
 */
#include "kernel/lock/spinlock.h"

#define LOCK_FIELDS PITOT_FIELD(pointer, lockdep_addr, "%p"), PITOT_FIELD(text, name, " %s")

PITOT_TRACEPOINT(lock, lock_acquire, 2, LOCK_FIELDS);
PITOT_TRACEPOINT(lock, lock_acquired, 2, LOCK_FIELDS);
PITOT_TRACEPOINT(lock, lock_release, 2, LOCK_FIELDS);
PITOT_TRACEPOINT(lock, lock_contended, 2, LOCK_FIELDS);
PITOT_TRACEPOINT(lock, contention_begin, 3, PITOT_FIELD(pointer, lock_addr, "%p"),
                 PITOT_FIELD(text, name, " %s"), PITOT_FIELD(u32, flags, " (flags=%x)"));
PITOT_TRACEPOINT(lock, contention_end, 3, PITOT_FIELD(pointer, lock_addr, "%p"),
                 PITOT_FIELD(text, name, " %s"), PITOT_FIELD(s32, ret, " (ret=%d)"));
