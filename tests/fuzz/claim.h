/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A claim that must hold for every input: if it fails, the fuzzer aborts, and libFuzzer saves the
 * input.
 */
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/lib/refusal.h"

#define CLAIM(holds)                                                                               \
    do {                                                                                           \
        if (!(holds)) {                                                                            \
            fprintf(stderr, "not so: %s\n", #holds);                                               \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

/* Fills a refusal with line ends before the code under test may fill it. */
static inline void refusal_spoil(struct refusal *why)
{
    memset(why, '\n', sizeof(*why));
}

/* For input without line ends: there is an error, and one line with the reason. */
static inline void claim_refused(int error, const struct refusal *why)
{
    CLAIM(error < 0 && error > -4096);
    CLAIM(memchr(why->text, '\0', sizeof(why->text)));
    CLAIM(strlen(why->text) > 8 && !strchr(why->text, '\n'));
}
