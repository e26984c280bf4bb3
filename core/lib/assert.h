/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * assert(x): an invariant of our own; if it is broken, continuing would do harm. Never for what the
 * outside world may do; that gets an error return. Stays in every build. Any context: the way out
 * is a panic.
 */
#pragma once

/* The host's to define (core/host.h): here kernel/panic/panic.c's, in a unit test its own. */
_Noreturn void assert_failed(const char *claim, const char *file, int line);

#define assert(claim) ((claim) ? (void)0 : assert_failed(#claim, __FILE__, __LINE__))
