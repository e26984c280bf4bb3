/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The load under which tests/kernel/everything_suite.c records everything: threads that hit each
 * tracepoint of the kernel, a program for those of system calls among them, and two of the suite's
 * own. Task context, interrupts on.
 */
#pragma once

#include "core/tracepoint/define.h"

#define EVERYTHING_FIELDS(FIELD, of) FIELD(of, u64, round, "round=%lu")

TRACEPOINT_DECLARE(everything_outer, EVERYTHING_FIELDS);
TRACEPOINT_DECLARE(everything_inner, EVERYTHING_FIELDS);

/*
 * Until so much time has passed, or the ring of the recording holds so many bytes; but not before
 * each thread has done all that it does a few times, and the program has ended once.
 */
void everything_load(uint64_t nanoseconds, uint64_t bytes);
