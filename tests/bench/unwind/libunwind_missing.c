/* SPDX-License-Identifier: BSD-2-Clause */
/* Replaces libunwind.c if libunwind is missing: the table of results shows that. */
#include "tests/bench/unwind/methods.h"

#define MISSING "libunwind.h is not installed (package libunwind-dev)"

const struct method method_unw_step = {.name = "libunwind unw_step", .missing = MISSING};
const struct method method_unw_backtrace = {.name = "libunwind unw_backtrace", .missing = MISSING};
