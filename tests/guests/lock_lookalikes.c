/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Words that are taken like a lock, and released in a way that no lock is, or that is not seen. One
 * CPU, and a timer. Only these may be reported:
 *
 *     t           a ticket lock; a thread waits with an older ticket than another waiting thread
 *     added       a ticket lock, released by `lock xadd`
 *     cleared     released by `lock and`
 *
 * Not locks: `a` and `b`, released by `lock dec` after they were seen; `x` and `y`, by `xadd`
 * without a prefix; the objects of two lists that are searched for a free one; what a handler
 * releases: `busy`, `starts`, `sent`; and `counted`: a thread that has one of its numbers takes
 * another, while it waits for another word.
 */
#include "tests/guests/guest.h"

struct tickets {
    volatile uint32_t next, serving;
};
static struct tickets t, added, x, y, sent, counted;
static volatile uint32_t ready = 1;
static volatile uint32_t a, b, cleared, busy, starts, ticks, preempts;

struct object {
    volatile uint32_t used;
    struct object *next;
};
static struct object bits[2] = {{0, &bits[1]}, {0, &bits[0]}};
static struct object words[2] = {{0, &words[1]}, {0, &words[0]}};

#define CHANGE(place, instruction) __asm__ volatile(instruction : "+m"(place) : : "memory", "cc")

__attribute__((always_inline)) static inline void take(volatile uint32_t *word)
{
    while (__atomic_exchange_n(word, 1, __ATOMIC_ACQUIRE))
        __asm__ volatile("pause");
}

__attribute__((always_inline)) static inline void take_ticket(struct tickets *lock)
{
    uint32_t ticket = __atomic_fetch_add(&lock->next, 1, __ATOMIC_RELAXED);

    while (lock->serving != ticket)
        __asm__ volatile("pause");
}

/* --- Released unseen --- */

NOINLINE static void gives_otherwise(void)
{
    for (unsigned turn = 0; turn < 3; turn++) {
        take(&a);
        if (turn)
            CHANGE(a, "lock decl %0");
        a = 0;
        take(&b);
        if (turn)
            CHANGE(b, "lock decl %0");
        b = 0;
        take(&cleared);
        CHANGE(cleared, "lock andl $0, %0");
    }
}

NOINLINE static void counts(void)
{
    for (unsigned turn = 0; turn < 8; turn++) {
        uint32_t one = 1;

        __asm__ volatile("lock xaddl %0, %1\n1: cmpl $0, %2\n\tje 1b"
                         : "+r"(one), "+m"(counted.next)
                         : "m"(ready)
                         : "memory", "cc");
    }
}

NOINLINE static void gives_tickets(void)
{
    for (unsigned turn = 0; turn < 3; turn++) {
        uint32_t one = 1, other = 1, third = 1;

        take_ticket(&added);
        __asm__ volatile("lock xaddl %0, %1" : "+r"(one), "+m"(added.serving));
        take_ticket(&x);
        __asm__ volatile("xaddl %0, %1" : "+r"(other), "+m"(x.serving));
        take_ticket(&y);
        __asm__ volatile("xaddl %0, %1" : "+r"(third), "+m"(y.serving));
    }
}

/* --- A search --- */

NOINLINE static struct object *find_bit(void)
{
    struct object *object = bits;

    __asm__ volatile("1: lock btsl $0, (%0)\n\tjnc 2f\n\tmov 8(%0), %0\n\tjmp 1b\n2:"
                     : "+r"(object)
                     :
                     : "memory", "cc");
    return object;
}

NOINLINE static struct object *find_word(void)
{
    struct object *object = words;

    while (__atomic_exchange_n(&object->used, 1, __ATOMIC_ACQUIRE))
        object = object->next;
    return object;
}

NOINLINE static void searches(struct object *(*find)(void))
{
    struct object *first = find(), *second = find();

    first->used = 0;
    first = find();
    second->used = 0;
    first->used = 0;
}

/* --- Released by a handler --- */

static uint8_t stack[16384] __attribute__((aligned(4096)));
static uint64_t *saved[2];
static unsigned running;

extern void switch_to(uint64_t **from, uint64_t *to);
FUNCTION(switch_to, PUSH_SAVED "mov %rsp, (%rdi); mov %rsi, %rsp\n" POP_SAVED "ret");

NOINLINE static void switches(void)
{
    unsigned before = running;

    running = !before;
    switch_to(&saved[before], saved[!before]);
    KEEP_FRAME();
}

NOINLINE static void handle_tick(void)
{
    ticks++;
    CHANGE(busy, "lock btrl $0, %0");
    starts = 0;
    if (sent.serving != sent.next)
        sent.serving++;
    out(0x20, 0x20);
    if (preempts)
        switches();
}

__attribute__((interrupt)) static void tick(void *frame)
{
    (void)frame;
    handle_tick();
}

NOINLINE static void begins(void)
{
    CHANGE(busy, "1: lock btsl $0, %0\n\tjc 1b");
    take(&starts);
    __asm__ volatile("sti; hlt");
    for (unsigned turn = 0; turn < 3; turn++) {
        uint32_t number = __atomic_fetch_add(&sent.next, 1, __ATOMIC_RELAXED);

        while (sent.serving <= number)
            __asm__ volatile("pause");
    }
    __asm__ volatile("cli");
}

/* --- Two threads that wait --- */

NOINLINE static void adds(void)
{
    take_ticket(&t);
    t.serving++;
    KEEP_FRAME();
}

static void thread(void)
{
    __asm__ volatile("sti");
    adds();
    for (;;)
        __asm__ volatile("pause");
}

/* main holds t, and releases it while the thread waits; then it waits with the next ticket. */
NOINLINE static void preempted(void)
{
    uint64_t *top = (uint64_t *)(stack + sizeof(stack));

    *--top = 0;
    *--top = (uint64_t)thread;
    saved[1] = top - 6;
    take_ticket(&t);
    preempts = 1;
    switches();
    t.serving++;
    __asm__ volatile("sti");
    adds();
    __asm__ volatile("cli");
}

void main(void)
{
    gives_otherwise();
    counts();
    gives_tickets();
    searches(find_bit);
    searches(find_word);
    set_gate(32, (void (*)(void))tick, 0);
    start_timer(1193);
    begins();
    preempted();
    quit();
}
