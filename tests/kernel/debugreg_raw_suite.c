/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the machine itself reports, below the arbiter, where machines are known to differ: the
 * claims allow each known behaviour, and the line after each names the observed one
 * (docs/breakpoints.md, Machines).
 */
#include "arch/cpu.h"
#include "arch/regs.h"
#include "arch/watch.h"
#include "core/breakpoint/breakpoint.h"
#include "tests/kernel/ktap.h"

static volatile uint64_t word __attribute__((aligned(8)));
static unsigned fired, traps;

static void record(unsigned mask, struct regs *regs)
{
    (void)regs;
    fired |= mask;
    traps++;
}

/* Arms, touches and disarms, with the arbiter's handler replaced. */
static void observe(const struct arch_watch *watches, unsigned count, void (*touch)(void))
{
    uint64_t irq = arch_irq_save();

    fired = traps = 0;
    arch_watch_set_handler(record);
    arch_watch_disarm();
    arch_watch_arm(watches, count);
    touch();
    arch_watch_disarm();
    arch_watch_arm(NULL, 0);
    breakpoint_init();
    arch_irq_restore(irq);
}

static void store(void)
{
    *(volatile uint8_t *)&word = 1;
}

static void load(void)
{
    (void)*(volatile uint8_t *)&word;
}

static void failing_exchange(void)
{
    __asm__ volatile("cmpxchgq %%rdx, %0" : "+m"(word) : "a"(0x1234567890ull), "d"(1ull));
}

static void claim_overlapping(void)
{
    const struct arch_watch watches[4] = {{(uintptr_t)&word, 1, ARCH_WRITE},
                                          {(uintptr_t)&word, 2, ARCH_WRITE},
                                          {(uintptr_t)&word, 4, ARCH_READ_WRITE},
                                          {(uintptr_t)&word, 8, ARCH_READ_WRITE}};

    observe(watches, 4, store);
    ktap_ok(fired == 0xf || fired == 0x1,
            "a store under four watches: DR6 has all of them, or the lowest");
    print("#   the bits are 0x%x\n", fired);
    observe(watches, 4, load);
    ktap_ok(fired == 0xc || fired == 0x4, "a load under two of them: both, or the lower");
    print("#   the bits are 0x%x\n", fired);
    ktap_equal(traps, 1, "... in one trap");
}

static void claim_failing_exchange(void)
{
    const struct arch_watch watch = {(uintptr_t)&word, 8, ARCH_WRITE};

    observe(&watch, 1, failing_exchange);
    ktap_equal(traps, 1, "a cmpxchg without lock that fails writes the old value back, and hits");
}

static void increment(void)
{
    __asm__ volatile("lock incq %0" : "+m"(word));
}

static void claim_read_modify_write(void)
{
    const struct arch_watch watches[2] = {{(uintptr_t)&word, 8, ARCH_WRITE},
                                          {(uintptr_t)&word, 8, ARCH_READ_WRITE}};

    observe(watches, 2, increment);
    ktap_ok(fired == 0x3 || fired == 0x2,
            "a read-modify-write under w and rw of the same bytes: both, or rw alone");
    print("#   the bits are 0x%x\n", fired);
    ktap_equal(traps, 1, "... in one trap");
}

/* The experiment must leave nothing behind. */
static void claim_restored(void)
{
    observe(NULL, 0, store);
    ktap_equal(traps, 0, "with nothing armed nothing is reported");
}

static void debugreg_raw_claims(void)
{
    claim_overlapping();
    claim_failing_exchange();
    claim_read_modify_write();
    claim_restored();
}

KTAP_SUITE(debugreg_raw, "what the machine reports, below the arbiter");
