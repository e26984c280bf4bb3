/* SPDX-License-Identifier: BSD-2-Clause */
/* See kept.h. */
#include "kernel/memory/kept.h"

/* Set at boot. */
static void *place;
static size_t size;

void kept_memory_set(void *start, size_t bytes)
{
    place = start;
    size = bytes;
}

void *kept_memory(size_t *bytes)
{
    *bytes = size;
    return place;
}
