/* SPDX-License-Identifier: BSD-2-Clause */
/* In libunwind.c's place where there is no libunwind: the table of results says so. */
#include "tests/bench/unwind/methods.h"

#define MISSING "libunwind.h is not installed (package libunwind-dev)"

const struct method method_unw_step = {.name = "libunwind unw_step", .missing = MISSING};
const struct method method_unw_backtrace = {.name = "libunwind unw_backtrace", .missing = MISSING};
