/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Why a user's request was refused: one line that states what is wrong and what would be right, for
 * the caller to print. Task context.
 */
#pragma once

#include <linux/errno.h>

struct refusal {
    char text[480];
};

/* Formats the reason into `why`, which may be NULL. Returns -error. */
__attribute__((format(printf, 3, 4))) int refuse(struct refusal *why, int error, const char *format,
                                                 ...);
