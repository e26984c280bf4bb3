/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Random numbers for host tests that need millions of them: the same ones in each run, without the
 * lock that libc's rand() takes for each. xorshift64 (G. Marsaglia, "Xorshift RNGs", 2003). Each
 * source that includes this has its own sequence.
 */
#pragma once

#include <stdint.h>

static uint64_t random_state = 88172645463325252u;

/* Starts a different sequence for each seed. */
static inline void random_begin(uint32_t seed)
{
    random_state = 88172645463325252u + seed;
}

static inline uint64_t random_word(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

/* 0 to bound - 1. */
static inline uint32_t random_below(uint32_t bound)
{
    return (uint32_t)((random_word() >> 32) % bound);
}
