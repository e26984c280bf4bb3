/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Locks whose waiters are ordered. One CPU, so each lock is free when it is taken:
 *
 *     takes_ab, takes_ba          ticket locks, in both orders: 4 bytes and 8, the two words in
 *                                 either order, released by a store and by an addition
 *     takes_mcs                   a queue (MCS): nothing that is stored identifies the owner
 *     misuses                     like a ticket lock, until it is released with a wrong number
 *
 * Not a lock: `count`, whose neighbour once has the same value, and which nothing waits for.
 */
#include "tests/guests/guest.h"

static struct {
    volatile uint32_t next, serving;
} a, misused;
static struct {
    volatile uint64_t serving, next;
} b;
static struct {
    volatile uint32_t count, ended;
} counted;

struct node {
    struct node *volatile next;
    volatile int waits;
};
static struct node *volatile tail;

#define TAKE(lock)                                                                                 \
    do {                                                                                           \
        __typeof__((lock).next + 0) ticket =                                                       \
            __atomic_fetch_add(&(lock).next, 1, __ATOMIC_RELAXED);                                 \
                                                                                                   \
        while ((lock).serving != ticket)                                                           \
            __asm__ volatile("pause");                                                             \
    } while (0)

NOINLINE static void takes_ab(void)
{
    TAKE(a);
    TAKE(b);
    b.serving = b.serving + 1;
    a.serving = a.serving + 1;
}

NOINLINE static void takes_ba(void)
{
    TAKE(b);
    TAKE(a);
    __asm__ volatile("lock incl %0" : "+m"(a.serving));
    __asm__ volatile("incq %0" : "+m"(b.serving));
}

NOINLINE static void takes_mcs(void)
{
    struct node node = {0, 1}, *before = __atomic_exchange_n(&tail, &node, __ATOMIC_ACQ_REL);

    if (before) {
        before->next = &node;
        while (node.waits)
            __asm__ volatile("pause");
    }
    if (!__sync_bool_compare_and_swap(&tail, &node, 0)) {
        while (!node.next)
            __asm__ volatile("pause");
        node.next->waits = 0;
    }
}

NOINLINE static void misuses(void)
{
    TAKE(misused);
    misused.serving = misused.serving + 1;
    TAKE(misused);
    misused.serving = 7;
}

NOINLINE static void counts(void)
{
    __atomic_fetch_add(&counted.count, 1, __ATOMIC_RELAXED);
    counted.ended = counted.ended + 1;
}

void main(void)
{
    takes_ab();
    takes_ba();
    takes_mcs();
    misuses();
    counts();
    quit();
}
