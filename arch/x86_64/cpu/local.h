/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory operations on data that one CPU owns and several of its contexts (task, interrupt, debug
 * trap, NMI) share. Each is one instruction, so that nothing on the same CPU can intervene; LOCK is
 * not needed, as no other CPU writes. The barriers for other CPUs, which only read, have names of
 * their own (publish_*). Any context; also builds on an x86-64 host.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/*
 * Intel SDM vol. 3, "Memory Ordering": stores become visible in order and loads are not reordered
 * with other loads, so a compiler barrier suffices, except where a store must be visible before a
 * later load.
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

/* Stores `desired` if *to still equals `expected`; returns true if it did. */
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
 * Copies words in a loop unrolled four times: for a record that is already in the cache. The
 * accesses are volatile to prevent the compiler from calling memcpy.
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
 * The same with `rep movsq`, which takes a processor some 11 ns to start: for many words, and where
 * cost is counted in instructions, as the processor runs the loop.
 */
static inline void local_copy_words(void *to, const void *from, uint64_t words)
{
    __asm__ volatile("rep movsq" : "+D"(to), "+S"(from), "+c"(words) : : "memory");
}

/*
 * Publishing to readers on other CPUs, and the readers' side. Every access whose order matters uses
 * these functions, so each such place has a name. On this architecture they are compiler barriers
 * or nothing; tests/model replaces them with operations of weaker order.
 */
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
