/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What must hold for every input: where it does not, a program of tests/fuzz ends, and libFuzzer
 * keeps the input.
 */
#pragma once

#include <stdio.h>
#include <stdlib.h>

#define CLAIM(holds)                                                                               \
    do {                                                                                           \
        if (!(holds)) {                                                                            \
            fprintf(stderr, "not so: %s\n", #holds);                                               \
            abort();                                                                               \
        }                                                                                          \
    } while (0)
