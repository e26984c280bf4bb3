/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * assert(x): an invariant of Pitot's own; if it is broken, continuing would do harm. Never for what
 * the outside world may do: that gets an error return. Stays in every build. Any context: a failure
 * ends in a panic.
 */
#pragma once

/* Defined by the host (core/host.h): in this kernel by kernel/panic, in a unit test by the test. */
_Noreturn void assert_failed(const char *claim, const char *file, int line);

#define assert(claim) ((claim) ? (void)0 : assert_failed(#claim, __FILE__, __LINE__))
