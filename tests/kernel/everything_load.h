/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The load under which tests/kernel/everything_suite.c records everything: threads that hit each of
 * the kernel's tracepoints, including a program for those of system calls, and two of the suite's
 * own. Task context, interrupts on.
 */
#pragma once

#include "core/tracepoint/tracepoint.h"

PITOT_TRACEPOINT_DECLARE(everything_outer, 1);
PITOT_TRACEPOINT_DECLARE(everything_inner, 1);

/*
 * Runs until so much time has passed, or the recording's ring holds so many bytes; but at least
 * until each thread has done all its work a few times, and the program has ended once.
 */
void everything_load(uint64_t nanoseconds, uint64_t bytes);
