/* SPDX-License-Identifier: BSD-2-Clause */
/* Candidates for the word before the cursor, chosen by the words before it; none after a quote. */
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
    struct word prefix; /* the part of the name typed already */
    bool ends_word;     /* append a blank after a complete name */
};

/* Returns false if there are no candidates for this position. */
bool target_find(const char *text, size_t length, struct target *target);
