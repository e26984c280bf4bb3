/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * assert(x): an internal invariant of Pitot; if it is broken, continuing would do harm. Never for
 * external input, which gets an error return. Enabled in every build. Any context: a failure ends
 * in a panic.
 */
#pragma once

/* Defined by the host (core/host.h): in this kernel by kernel/panic, in a unit test by the test. */
_Noreturn void assert_failed(const char *claim, const char *file, int line);

#define assert(claim) ((claim) ? (void)0 : assert_failed(#claim, __FILE__, __LINE__))
