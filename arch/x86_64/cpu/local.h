/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory operations for data that one CPU owns and that several of its contexts (task, interrupt,
 * debug trap, NMI) share: one instruction each, so that nothing on the same CPU can come in
 * between, and without LOCK, as no other CPU writes. Barriers against other CPUs that only read are
 * named apart. Any context; builds on an x86-64 host as well.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/*
 * Intel SDM vol. 3, "Memory Ordering": stores are seen in order and loads are not reordered with
 * other loads, so that only the compiler has to be held back, except where a store must be seen
 * before a later load.
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

/* Stores `desired` if *to is still `expected`; true if it did. */
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
 * Copies whole words one by one, four in each turn of the loop: for a record that is in the cache
 * already. The accesses are volatile, or the compiler would call memcpy.
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
 * The same by `rep movsq`, which a processor takes some 11 ns to begin: for many words, and where
 * the cost is counted in instructions, as the processor runs the loop.
 */
static inline void local_copy_words(void *to, const void *from, uint64_t words)
{
    __asm__ volatile("rep movsq" : "+D"(to), "+S"(from), "+c"(words) : : "memory");
}

/*
 * Publishing to readers on other CPUs, and the readers' side. Every access whose order matters uses
 * these functions, so each such place has a name. On this CPU they are compiler barriers or
 * nothing; tests/model replaces them with operations of weaker order.
 */
static inline void publish_store(uint64_t *to, uint64_t value)
{
    __atomic_store_n(to, value, __ATOMIC_RELEASE);
}

static inline uint64_t publish_load(const uint64_t *from)
{
    return __atomic_load_n(from, __ATOMIC_ACQUIRE);
}

/* Other CPUs see the earlier stores before the later ones. */
static inline void publish_order_stores(void)
{
    local_barrier();
}

/* The earlier loads are made before the later ones. */
static inline void publish_order_loads(void)
{
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
}

/* The reader copies whole words that their owner may be overwriting meanwhile. */
static inline void publish_copy_words(void *to, const void *from, uint64_t words)
{
    local_copy_words(to, from, words);
}
