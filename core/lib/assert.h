/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * assert(x): an internal invariant, never for external input, which gets an error return. In every
 * build. Any context: a failure panics.
 */
#pragma once

/* Defined by the host (core/host.h): here by kernel/panic, or by a unit test. */
_Noreturn void assert_failed(const char *claim, const char *file, int line);

#define assert(claim) ((claim) ? (void)0 : assert_failed(#claim, __FILE__, __LINE__))
