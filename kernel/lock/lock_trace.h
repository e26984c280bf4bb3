/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tracepoints of locks: lock_acquire, lock_acquired, lock_release and lock_contended;
 * contention_begin and contention_end enclose the wait for a contended lock. They are hit in any
 * context that takes locks; recording them takes none. Fields are Linux's (docs/tracepoints.md),
 * plus `name` where Linux has none.
 */
#pragma once

#include "core/tracepoint/define.h"

#define LOCK_FIELDS(FIELD, of)                                                                     \
    FIELD(of, pointer, lockdep_addr, "%p")                                                         \
    FIELD(of, text, name, " %s")

/* The kind of wait: Linux's LCB_F_SPIN or LCB_F_MUTEX. */
#define LOCK_WAIT_SPINS  0x01u
#define LOCK_WAIT_SLEEPS 0x20u

#define CONTENTION_BEGIN_FIELDS(FIELD, of)                                                         \
    FIELD(of, pointer, lock_addr, "%p")                                                            \
    FIELD(of, text, name, " %s")                                                                   \
    FIELD(of, u32, flags, " (flags=%x)")

/* `ret` is 0: a thread that waits always gets the lock. */
#define CONTENTION_END_FIELDS(FIELD, of)                                                           \
    FIELD(of, pointer, lock_addr, "%p")                                                            \
    FIELD(of, text, name, " %s")                                                                   \
    FIELD(of, s32, ret, " (ret=%d)")

TRACEPOINT_DECLARE(lock_acquire, LOCK_FIELDS);
TRACEPOINT_DECLARE(lock_acquired, LOCK_FIELDS);
TRACEPOINT_DECLARE(lock_release, LOCK_FIELDS);
TRACEPOINT_DECLARE(lock_contended, LOCK_FIELDS);
TRACEPOINT_DECLARE(contention_begin, CONTENTION_BEGIN_FIELDS);
TRACEPOINT_DECLARE(contention_end, CONTENTION_END_FIELDS);
