/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Replaces arch/local.h for the model, by the Makefile's MODEL_FLAGS: core/ring/ring.c, compiled
 * with this file, reports each access to shared memory (tests/model/memory.h). Memory that only the
 * writer's CPU accesses is plain memory here.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "tests/model/memory.h"

static inline void local_barrier(void)
{
    memory_moment();
}

static inline uint64_t local_load(const uint64_t *from)
{
    memory_moment();
    return *from;
}

static inline void local_store(uint64_t *to, uint64_t value)
{
    memory_moment();
    memory_store(to, value);
}

static inline bool local_compare_exchange(uint64_t *to, uint64_t expected, uint64_t desired)
{
    memory_moment();
    if (*to != expected)
        return false;
    memory_store(to, desired);
    return true;
}

static inline void local_increment(uint64_t *counter)
{
    memory_moment();
    memory_store(counter, *counter + 1);
}

static inline void local_decrement(uint64_t *counter)
{
    memory_moment();
    memory_store(counter, *counter - 1);
}

static inline void local_copy_words(void *to, const void *from, uint64_t words)
{
    for (uint64_t i = 0; i < words; i++)
        local_store((uint64_t *)to + i, ((const uint64_t *)from)[i]);
}

static inline void local_move_words(void *to, const void *from, uint64_t words)
{
    local_copy_words(to, from, words);
}

static inline void publish_store(uint64_t *to, uint64_t value)
{
    memory_moment();
    memory_publish(to, value);
}

static inline uint64_t publish_load(const uint64_t *from)
{
    memory_moment();
    return memory_load(from);
}

static inline void publish_order_stores(void)
{
    memory_moment();
    memory_order_stores();
}

static inline void publish_order_loads(void)
{
    memory_order_loads();
}

static inline void publish_copy_words(void *to, const void *from, uint64_t words)
{
    for (uint64_t i = 0; i < words; i++)
        ((uint64_t *)to)[i] = memory_load((const uint64_t *)from + i);
}
