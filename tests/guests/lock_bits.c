/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Locks that are one bit of a word (`lock bts`), like Linux' bit spin locks. One CPU, so each lock
 * is free when it is taken. The functions:
 *
 *     takes_ab, takes_ba          two of one word, in both orders
 *     in_register                 the bit's number is in a register, beyond the word
 *     keeps_data                  other bits of its word change while it is taken
 *     gives_*                     ... and each way to give it back
 *
 * Not locks: `flag`, which is tried, not waited for; `counted`, whose word is added to; `given`,
 * which is also set in another way.
 */
#include "tests/guests/guest.h"

static volatile uint32_t word, kept, flag, counted, given;
static volatile uint64_t wide;
static volatile uint32_t map[4];

#define TAKE(place, number)                                                                        \
    __asm__ volatile(                                                                              \
        "1: lock btsl %1, %0\n\tjnc 3f\n2: pause\n\tbtl %1, %0\n\tjc 2b\n\tjmp 1b\n3:"             \
        : "+m"(place)                                                                              \
        : "i"(number)                                                                              \
        : "memory", "cc")
#define GIVE(place, instruction) __asm__ volatile(instruction : "+m"(place) : : "memory", "cc")

NOINLINE static void takes_ab(void)
{
    TAKE(word, 3);
    TAKE(word, 20);
    GIVE(word, "lock btrl $20, %0");
    GIVE(word, "lock btrl $3, %0");
}

NOINLINE static void takes_ba(void)
{
    TAKE(word, 20);
    TAKE(word, 3);
    GIVE(word, "lock andl $~8, %0");
    GIVE(word, "lock btrl $20, %0");
}

NOINLINE static void in_register(void)
{
    uint64_t number = 70;

    __asm__ volatile("1: lock btsl %1, %0\n\tsbbl %%eax, %%eax\n\ttestl %%eax, %%eax\n\tjne 1b"
                     : "+m"(map[0])
                     : "r"((uint32_t)number)
                     : "memory", "cc", "eax");
    __asm__ volatile("lock btrl %1, %0" : "+m"(map[0]) : "r"((uint32_t)number) : "memory", "cc");
}

NOINLINE static void keeps_data(void)
{
    TAKE(kept, 0);
    GIVE(kept, "lock orl $0x10, %0");
    GIVE(kept, "orl $0x20, %0");
    GIVE(kept, "lock andl $~0x10, %0");
    GIVE(kept, "lock btsl $7, %0"); /* no loop: another bit, which is only tried */
    GIVE(kept, "lock btrl $0, %0");
    GIVE(kept, "movl $0x40, %0");
}

NOINLINE static void gives_wide(void)
{
    __asm__ volatile("1: lock btsq $40, %0\n\tjc 1b" : "+m"(wide) : : "memory", "cc");
    __asm__ volatile("movb $0, 5+%0" : "+m"(wide) : : "memory"); /* the byte of bit 40 */
    __asm__ volatile("1: lock btsq $40, %0\n\tjc 1b" : "+m"(wide) : : "memory", "cc");
    __asm__ volatile("movq $0, %0" : "+m"(wide) : : "memory");
    __asm__ volatile("1: lock btsq $40, %0\n\tjc 1b" : "+m"(wide) : : "memory", "cc");
    __asm__ volatile("btrq $40, %0" : "+m"(wide) : : "memory", "cc");
}

NOINLINE static int tries_flag(void)
{
    int was;

    __asm__ volatile("lock btsl $0, %1\n\tsbbl %0, %0" : "=r"(was), "+m"(flag) : : "memory", "cc");
    GIVE(flag, "lock btrl $0, %0");
    return was;
}

NOINLINE static void adds(void)
{
    TAKE(counted, 31);
    GIVE(counted, "lock addl $1, %0");
    GIVE(counted, "lock btrl $31, %0");
}

NOINLINE static void sets(void)
{
    TAKE(given, 0);
    GIVE(given, "lock btrl $0, %0");
    GIVE(given, "lock orl $1, %0");
    GIVE(given, "movl $0, %0");
}

void main(void)
{
    takes_ab();
    takes_ba();
    in_register();
    keeps_data();
    gives_wide();
    tries_flag();
    adds();
    sets();
    quit();
}
