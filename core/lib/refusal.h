/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Why a user's request was refused: what is wrong and what would be right, in one line for the
 * caller to print. Functions that may refuse return 0, or a negative errno and the reason, unless
 * their comment says otherwise. Task context.
 */
#pragma once

#include <linux/errno.h>

struct refusal {
    char text[480];
};

/* Formats the reason into `why`, which may be NULL. Returns -error. */
__attribute__((format(printf, 3, 4))) int refuse(struct refusal *why, int error, const char *format,
                                                 ...);
