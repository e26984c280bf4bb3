/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Operations on one CPU's data that its contexts (task, interrupt, debug trap, NMI) share. Each is
 * one instruction, so nothing on this CPU can intervene, and has no LOCK, as no other CPU writes
 * the data. Other CPUs read it with publish_*. Any context; also builds on a host.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/*
 * A compiler barrier, as the CPU itself does not reorder stores with stores, or loads with loads
 * (Intel SDM vol. 3, "Memory Ordering"). Does not order a store before a later load.
 */
#define local_barrier() __asm__ volatile("" ::: "memory")

static inline uint64_t local_load(const uint64_t *from)
{
    return *(const volatile uint64_t *)from;
}

static inline void local_store(uint64_t *to, uint64_t value)
{
    *(volatile uint64_t *)to = value;
}

/* Stores `desired` and returns true if *to equals `expected`. */
static inline bool local_compare_exchange(uint64_t *to, uint64_t expected, uint64_t desired)
{
    bool done;
    __asm__ volatile("cmpxchgq %3, %1"
                     : "=@ccz"(done), "+m"(*to), "+a"(expected)
                     : "r"(desired)
                     : "memory");
    return done;
}

static inline void local_increment(uint64_t *counter)
{
    __asm__ volatile("incq %0" : "+m"(*counter) : : "memory");
}

static inline void local_decrement(uint64_t *counter)
{
    __asm__ volatile("decq %0" : "+m"(*counter) : : "memory");
}

/*
 * Copies with an unrolled loop, for records in the cache. The accesses are volatile, as otherwise
 * the compiler would call memcpy.
 */
static inline void local_move_words(void *to, const void *from, uint64_t words)
{
    volatile uint64_t *store = to;
    const volatile uint64_t *load = from;

    for (; words >= 4; words -= 4, store += 4, load += 4) {
        uint64_t first = load[0], second = load[1], third = load[2], fourth = load[3];

        store[0] = first;
        store[1] = second;
        store[2] = third;
        store[3] = fourth;
    }
    for (; words > 0; words--)
        *store++ = *load++;
    local_barrier();
}

/*
 * Copies with `rep movsq`, which takes some 11 ns to start: for many words, or where the number of
 * instructions matters.
 */
static inline void local_copy_words(void *to, const void *from, uint64_t words)
{
    __asm__ volatile("rep movsq" : "+D"(to), "+S"(from), "+c"(words) : : "memory");
}

/* Publishing to readers on other CPUs: each access whose order matters has a name (tests/model). */
static inline void publish_store(uint64_t *to, uint64_t value)
{
    __atomic_store_n(to, value, __ATOMIC_RELEASE);
}

static inline uint64_t publish_load(const uint64_t *from)
{
    return __atomic_load_n(from, __ATOMIC_ACQUIRE);
}

/* Other CPUs see earlier stores before later ones. */
static inline void publish_order_stores(void)
{
    local_barrier();
}

/* Earlier loads are performed before later ones. */
static inline void publish_order_loads(void)
{
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
}

/* Copies words that their owner may be overwriting meanwhile. */
static inline void publish_copy_words(void *to, const void *from, uint64_t words)
{
    local_copy_words(to, from, words);
}
