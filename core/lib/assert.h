/* SPDX-License-Identifier: BSD-2-Clause */
/* assert(x): a broken invariant panics, in every build and context. Not for external input. */
#pragma once

/* Defined by the kernel: here by kernel/panic, or by a unit test. */
_Noreturn void assert_failed(const char *claim, const char *file, int line);

#define assert(claim) ((claim) ? (void)0 : assert_failed(#claim, __FILE__, __LINE__))
