/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the word before the cursor may become: a name out of one list, told from the words that
 * stand before it. It knows the line only up to the cursor, and nothing of words with quotes. Used
 * by kernel/console/complete.c; task context.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "kernel/console/complete_names.h"

struct word {
    const char *text;
    size_t length;
};

struct target {
    struct names names;
    struct word prefix; /* what of the name is there already */
    bool ends_word;     /* a blank follows a name that is found whole */
};

/* False where nothing is known of what may stand there. */
bool target_find(const char *text, size_t length, struct target *target);
