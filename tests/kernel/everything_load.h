/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The load under which tests/kernel/everything_suite.c records everything: threads that hit each
 * tracepoint of the kernel, a program for those of system calls among them, and two of the suite's
 * own. Task context, interrupts on.
 */
#pragma once

#include "core/tracepoint/tracepoint.h"

PITOT_TRACEPOINT_DECLARE(everything_outer, 1);
PITOT_TRACEPOINT_DECLARE(everything_inner, 1);

/*
 * Until so much time has passed, or the ring of the recording holds so many bytes; but not before
 * each thread has done all that it does a few times, and the program has ended once.
 */
void everything_load(uint64_t nanoseconds, uint64_t bytes);
