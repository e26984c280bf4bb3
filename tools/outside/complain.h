/* SPDX-License-Identifier: BSD-2-Clause */
/* How tools/outside says what is wrong: on stderr, for a person. */
#pragma once

#include <stdbool.h>

/* Always false, so that a check reads `return complain(...)`. */
__attribute__((format(printf, 1, 2))) bool complain(const char *format, ...);
