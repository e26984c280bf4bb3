/* SPDX-License-Identifier: BSD-2-Clause */
/* See seed.h. */
#include "outside/pitot/seed.h"

#include <sys/random.h>

#define SEEDS_MOST 10000

uint64_t seed_choose(void)
{
    uint32_t random = 0;

    if (getrandom(&random, sizeof(random), 0) < 0)
        return 1;
    return random % SEEDS_MOST + 1;
}
