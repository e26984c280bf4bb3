/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Locks, and one mistake of each kind that `pitot locks` finds, none of which causes a deadlock;
 * with -DMENDED there is none. One CPU, so each lock is free when it is taken. The functions and
 * their mistakes, with the default build:
 *
 *     takes_ab, takes_ba          a then b, and b then a
 *     takes_cd, _de, _ec          a cycle of three
 *     takes_siblings              two locks of one array, in both orders
 *     opens                       holds `ticks` with interrupts on; the timer's handler takes it
 *     turns_on                    ... holds `beats`, and turns them on meanwhile
 *     halts                       holds `halting` at hlt
 *     leaves                      holds `leaving` while another thread runs
 *     ends                        never releases `ending`
 *
 * Correct in both builds: two orders under a third lock; two orders, one of which only tries; a
 * lock that another thread releases; a mutex that begins with a spin lock; a mutex that its holder
 * takes again; a new lock where an old one was. `masks` has interrupts off for 20,000 instructions.
 */
#include "tests/guests/guest.h"

#ifdef MENDED
#define WRONG 0
#else
#define WRONG 1
#endif

#ifdef INLINED
#define TAKING __attribute__((always_inline)) static inline
#else
#define TAKING NOINLINE
#endif

struct spin {
    volatile int taken;
};

struct mutex {
    struct spin inside;
    volatile int depth;
};

static struct spin a, b, c, d, e, guard, x, y, tried, ticks, beats, halting, leaving, handed,
    ending;
static struct spin siblings[2], reused;
static struct mutex mutex;
static volatile int tick_count;
static volatile int sink;

TAKING void spin_lock(struct spin *lock);
TAKING void spin_lock(struct spin *lock)
{
    while (__atomic_exchange_n(&lock->taken, 1, __ATOMIC_ACQUIRE))
        __asm__ volatile("pause");
}

TAKING int spin_trylock(struct spin *lock);
TAKING int spin_trylock(struct spin *lock)
{
    return !__atomic_exchange_n(&lock->taken, 1, __ATOMIC_ACQUIRE);
}

TAKING void spin_unlock(struct spin *lock);
TAKING void spin_unlock(struct spin *lock)
{
    __atomic_store_n(&lock->taken, 0, __ATOMIC_RELEASE);
}

NOINLINE void spin_lock_init(struct spin *lock);
void spin_lock_init(struct spin *lock)
{
    lock->taken = 0;
}

NOINLINE void mutex_lock(struct mutex *lock);
void mutex_lock(struct mutex *lock)
{
    spin_lock(&lock->inside);
    lock->depth++;
    spin_unlock(&lock->inside);
}

NOINLINE void mutex_unlock(struct mutex *lock);
void mutex_unlock(struct mutex *lock)
{
    spin_lock(&lock->inside);
    lock->depth--;
    spin_unlock(&lock->inside);
}

/* --- Order --- */

NOINLINE static void take_both(struct spin *first, struct spin *second)
{
    spin_lock(first);
    spin_lock(second);
    sink++;
    spin_unlock(second);
    spin_unlock(first);
}

NOINLINE static void takes_ab(void)
{
    take_both(&a, &b);
    KEEP_FRAME();
}

NOINLINE static void takes_ba(void)
{
    take_both(WRONG ? &b : &a, WRONG ? &a : &b);
    KEEP_FRAME();
}

NOINLINE static void takes_cd(void)
{
    take_both(&c, &d);
    KEEP_FRAME();
}

NOINLINE static void takes_de(void)
{
    take_both(&d, &e);
    KEEP_FRAME();
}

NOINLINE static void takes_ec(void)
{
    take_both(WRONG ? &e : &c, WRONG ? &c : &e);
    KEEP_FRAME();
}

NOINLINE static void takes_siblings(void)
{
    take_both(&siblings[0], &siblings[1]);
    take_both(&siblings[WRONG], &siblings[!WRONG]);
}

NOINLINE static void takes_guarded(void)
{
    spin_lock(&guard);
    take_both(&x, &y);
    take_both(&y, &x);
    spin_unlock(&guard);
}

NOINLINE static void tries(void)
{
    take_both(&tried, &a);
    spin_lock(&a);
    if (spin_trylock(&tried))
        spin_unlock(&tried);
    spin_unlock(&a);
}

NOINLINE static void uses_mutex(void)
{
    mutex_lock(&mutex);
    mutex_lock(&mutex);
    spin_lock(&y);
    spin_unlock(&y);
    mutex_unlock(&mutex);
    mutex_unlock(&mutex);
}

NOINLINE static void uses_again(void)
{
    take_both(&reused, &b);
    spin_lock_init(&reused);
    take_both(&b, &reused);
}

/* --- Interrupts --- */

NOINLINE static void handle_tick(void)
{
    spin_lock(&ticks);
    spin_unlock(&ticks);
    spin_lock(&beats);
    tick_count++;
    spin_unlock(&beats);
    out(0x20, 0x20);
}

__attribute__((interrupt)) static void tick(void *frame)
{
    (void)frame;
    handle_tick();
}

static inline void on(void)
{
    __asm__ volatile("sti" ::: "memory");
}

static inline void off(void)
{
    __asm__ volatile("cli" ::: "memory");
}

NOINLINE static void opens(void)
{
    if (!WRONG)
        off();
    spin_lock(&ticks);
    sink++;
    spin_unlock(&ticks);
    on();
}

NOINLINE static void turns_on(void)
{
    off();
    spin_lock(&beats);
    if (WRONG)
        on();
    sink++;
    spin_unlock(&beats);
    on();
}

NOINLINE static void masks(void)
{
    __asm__ volatile("cli\n\t"
                     "movl $10000, %%ecx\n"
                     "1: decl %%ecx\n\t"
                     "jnz 1b\n\t"
                     "sti"
                     :
                     :
                     : "ecx", "cc", "memory");
}

NOINLINE static void halts(void)
{
    if (WRONG)
        spin_lock(&halting);
    __asm__ volatile("hlt" ::: "memory");
    if (!WRONG)
        spin_lock(&halting);
    spin_unlock(&halting);
}

/* --- Threads --- */

static char stack[4096] __attribute__((aligned(16)));
static uint64_t main_sp, other_sp;

void switch_to(uint64_t *from, uint64_t to);
FUNCTION(switch_to, PUSH_SAVED "mov %rsp, (%rdi)\nmov %rsi, %rsp\n"
                               "pop %r15; pop %r14; pop %r13; pop %r12; pop %rbp; pop %rbx\n"
                               "ret");

NOINLINE USED static void other(void)
{
    for (;;) {
        sink++;
        if (handed.taken)
            spin_unlock(&handed);
        switch_to(&other_sp, main_sp);
    }
}

NOINLINE static void leaves(void)
{
    spin_lock(&leaving);
    if (!WRONG)
        spin_unlock(&leaving);
    switch_to(&main_sp, other_sp);
    if (WRONG)
        spin_unlock(&leaving);
}

NOINLINE static void hands_over(void)
{
    spin_lock(&handed);
    switch_to(&main_sp, other_sp);
    sink++;
}

NOINLINE static void ends(void)
{
    spin_lock(&ending);
    if (!WRONG)
        spin_unlock(&ending);
}

void main(void)
{
    uint64_t *top = (uint64_t *)(stack + sizeof(stack)) - 8;

    top[6] = (uint64_t)other;
    other_sp = (uint64_t)top;
    set_gate(32, (void (*)(void))tick, 0);
    on();
    takes_ab();
    takes_ba();
    takes_cd();
    takes_de();
    takes_ec();
    takes_siblings();
    takes_guarded();
    tries();
    uses_mutex();
    uses_again();
    opens();
    turns_on();
    masks();
    leaves();
    hands_over();
    start_timer(11932);
    while (tick_count < 2)
        __asm__ volatile("pause");
    halts();
    off();
    ends();
    out(0xf4, 0); /* quit() would halt if QEMU is slow to end */
    for (;;)
        __asm__ volatile("pause");
}
