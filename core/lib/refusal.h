/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Why a user's request was refused: one line that states what is wrong and what would be right.
 * Filled by the code that refuses, printed by the command or caller. Task context only.
 */
#pragma once

#include <linux/errno.h>

struct refusal {
    char text[480];
};

/*
 * Formats the reason into `why` (which may be NULL) and returns -error, so that a check reads
 * `return refuse(why, EINVAL, "length %u: 1, 2, 4 or 8 are possible", length);`
 */
__attribute__((format(printf, 3, 4))) int refuse(struct refusal *why, int error, const char *format,
                                                 ...);
