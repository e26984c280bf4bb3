/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a data watch sees, on the machine that runs this: every length, overlap and kind of access.
 * The claims hold on all machines; docs/breakpoints.md lists where machines differ.
 */
#include "arch/cpu.h"
#include "core/lib/string.h"
#include "kernel/x86_64/cpu/apic.h"
#include "tests/kernel/ktap.h"
#include "tests/kernel/watch.h"

static volatile uint8_t memory[64] __attribute__((aligned(64)));

#define MIDDLE (memory + 32)

static void store1(volatile uint8_t *to)
{
    *to = 1;
}

static void store8(volatile uint8_t *to)
{
    __asm__ volatile("movq $1, (%0)" : : "r"(to) : "memory");
}

static void load1(volatile uint8_t *from)
{
    (void)*from;
}

static void claim_hits(enum arch_access access, size_t length, void (*touch)(volatile uint8_t *),
                       volatile uint8_t *where, uint64_t hits, const char *what)
{
    struct watch watch;

    if (!watch_arm(&watch, MIDDLE, length, access))
        return;
    touch(where);
    ktap_equal(watch_disarm(&watch), hits, "%s watch of %zu: %s", access == ARCH_WRITE ? "w" : "rw",
               length, what);
}

static void claim_lengths(void)
{
    for (size_t length = 1; length <= 8; length *= 2) {
        claim_hits(ARCH_WRITE, length, store1, MIDDLE, 1, "store to the first byte");
        claim_hits(ARCH_WRITE, length, store1, MIDDLE + length - 1, 1, "store to the last byte");
        claim_hits(ARCH_WRITE, length, store1, MIDDLE - 1, 0, "store just below");
        claim_hits(ARCH_WRITE, length, store1, MIDDLE + length, 0, "store just above");
        claim_hits(ARCH_WRITE, length, store8, MIDDLE - 7, 1,
                   "unaligned store into its first byte");
        claim_hits(ARCH_WRITE, length, load1, MIDDLE, 0, "load");
        claim_hits(ARCH_READ_WRITE, length, load1, MIDDLE, 1, "load");
        claim_hits(ARCH_READ_WRITE, length, store1, MIDDLE, 1, "store");
    }
}

static void lock_increment(volatile uint8_t *at)
{
    __asm__ volatile("lock incl (%0)" : : "r"(at) : "memory");
}

static void exchange(volatile uint8_t *at)
{
    uint32_t value = 1;

    __asm__ volatile("xchgl %0, (%1)" : "+r"(value) : "r"(at) : "memory");
}

static void failing_exchange(volatile uint8_t *at)
{
    __asm__ volatile("lock cmpxchgl %%edx, (%0)" : : "r"(at), "a"(0x12345678), "d"(1) : "memory");
}

static void string_store(volatile uint8_t *at)
{
    uint64_t count = 8;

    __asm__ volatile("rep stosb" : "+D"(at), "+c"(count) : "a"(0) : "memory");
}

/* Moves the stack pointer to the watched bytes for one push; interrupts are off meanwhile. */
static void push_there(volatile uint8_t *at)
{
    uint64_t flags = arch_irq_save();
    uint64_t kept;

    __asm__ volatile("mov %%rsp, %0\n\t"
                     "lea 8(%1), %%rsp\n\t"
                     "push %1\n\t"
                     "mov %0, %%rsp"
                     : "=&r"(kept)
                     : "r"(at)
                     : "memory");
    arch_irq_restore(flags);
}

static void store_with_interrupts_off(volatile uint8_t *at)
{
    uint64_t flags = arch_irq_save();

    store1(at);
    arch_irq_restore(flags);
}

static void claim_instructions(void)
{
    claim_hits(ARCH_READ_WRITE, 4, lock_increment, MIDDLE, 1,
               "a locked read-modify-write is one hit");
    claim_hits(ARCH_WRITE, 4, lock_increment, MIDDLE, 1, "lock inc");
    claim_hits(ARCH_WRITE, 4, exchange, MIDDLE, 1, "xchg");
    claim_hits(ARCH_WRITE, 4, failing_exchange, MIDDLE, 1,
               "lock cmpxchg that fails writes all the same");
    claim_hits(ARCH_WRITE, 8, push_there, MIDDLE, 1, "push");
    claim_hits(ARCH_WRITE, 1, store_with_interrupts_off, MIDDLE, 1, "store with interrupts off");
}

/* docs/breakpoints.md, "Repeated instructions". */
static void claim_string(void)
{
    struct watch watch;

    if (!watch_arm(&watch, MIDDLE, 8, ARCH_WRITE))
        return;
    string_store(MIDDLE);
    watch_disarm(&watch);
    ktap_equal(watch.hits, arch_watch_groups() ? 1 : 8,
               "rep stosb: one hit a byte, or one if the machine traps once");
    ktap_equal(watch.hits + watch.breakpoint.doubtful, 8, "... and a doubtful one for each other");
}

static void claim_ip(void)
{
    struct watch watch;
    uintptr_t next;

    if (!watch_arm(&watch, MIDDLE, 4, ARCH_WRITE))
        return;
    __asm__ volatile("movl $7, (%1)\n\t"
                     "1: lea 1b(%%rip), %0"
                     : "=r"(next)
                     : "r"(MIDDLE)
                     : "memory");
    watch_disarm(&watch);
    ktap_equal(watch.ip, next, "the trap's ip is the instruction after the store");
    ktap_equal(watch.address, (uintptr_t)MIDDLE, "the hit names the watched address");
}

/*
 * Every register that contains the access is hit, whether the machine reports all of them or only
 * the lowest.
 */
static void claim_overlap(void)
{
    struct watch one, two, four, eight;

    watch_arm(&eight, MIDDLE, 8, ARCH_READ_WRITE);
    watch_arm(&one, MIDDLE, 1, ARCH_WRITE);
    watch_arm(&four, MIDDLE, 4, ARCH_WRITE);
    watch_arm(&two, MIDDLE, 2, ARCH_READ_WRITE);
    store1(MIDDLE);
    load1(MIDDLE);
    store1(MIDDLE + 3);
    store1(MIDDLE + 7);
    ktap_equal(watch_disarm(&one), 1, "four overlapping watches: w/1 sees the store to its byte");
    ktap_equal(watch_disarm(&two), 2, "... rw/2 the store and the load");
    ktap_equal(watch_disarm(&four), 2, "... w/4 two stores, not the load");
    ktap_equal(watch_disarm(&eight), 4, "... rw/8 everything");
}

static void claim_shared(void)
{
    struct watch first, second;

    watch_arm(&first, MIDDLE, 4, ARCH_WRITE);
    watch_arm(&second, MIDDLE, 4, ARCH_WRITE);
    ktap_equal(breakpoint_used(), 1, "two owners of one watch take one register");
    store1(MIDDLE);
    watch_disarm(&first);
    ktap_equal(breakpoint_used(), 1, "... which stays armed when one of them goes");
    store1(MIDDLE);
    ktap_equal(first.hits, 1, "... the one that went was told of what came before");
    ktap_equal(watch_disarm(&second), 2, "... the one that stayed of both");
    ktap_equal(breakpoint_used(), 0, "... and the last one out frees the register");
    store1(MIDDLE);
    ktap_equal(second.hits, 2, "nothing is told after the end");
}

static void claim_spread(void)
{
    struct watch watch;

    watch_arm(&watch, memory, 32, ARCH_WRITE);
    ktap_equal(breakpoint_used(), 4, "32 bytes are spread over four registers");
    for (unsigned i = 0; i < 34; i++)
        store1(memory + i);
    store8(memory + 12);
    ktap_equal(watch_disarm(&watch), 33,
               "... each byte hits, and a store into two parts hits once");
}

/*
 * Reading a device's register may have effects, and reading eight bytes of the local APIC ends
 * Bochs. The task priority, which is 0, can be read and written safely.
 */
static void claim_device(void)
{
    volatile uint8_t *priority = (volatile uint8_t *)apic_registers() + 0x80;
    const struct arch_watch shape = {(uintptr_t)priority, 4, ARCH_READ_WRITE};
    uintptr_t word = (uintptr_t)arch_watch_word(&shape);
    struct watch watch;

    ktap_ok(word < (uintptr_t)priority || word > (uintptr_t)priority + 3,
            "a hit does not read the watched register of a device");
    if (!watch_arm(&watch, priority, 4, ARCH_READ_WRITE))
        return;
    (void)*(volatile uint32_t *)priority;
    *(volatile uint32_t *)priority = 0;
    ktap_equal(watch_disarm(&watch), 2, "... which can be watched all the same");
}

/* A call pushes its return address to `at`, and the return reads it. */
static void call_there(volatile uint8_t *at)
{
    uint64_t flags = arch_irq_save();
    uint64_t kept;

    __asm__ volatile("mov %%rsp, %0\n\t"
                     "lea 8(%1), %%rsp\n\t"
                     "call 1f\n\t"
                     "jmp 2f\n"
                     "1:\tret\n"
                     "2:\tmov %0, %%rsp"
                     : "=&r"(kept)
                     : "r"(at)
                     : "memory");
    arch_irq_restore(flags);
}

/*
 * One word for both registers, of which some machines report only the lowest: a change by one
 * access must not count for the next one.
 */
static void claim_call(void)
{
    struct watch both, written;

    watch_arm(&both, MIDDLE + 4, 2, ARCH_READ_WRITE);
    watch_arm(&written, MIDDLE + 3, 5, ARCH_WRITE);
    for (unsigned i = 0; i < 7; i++)
        call_there(MIDDLE);
    ktap_equal(watch_disarm(&written), 7, "calls and returns: w sees the calls");
    ktap_equal(written.breakpoint.doubtful, 0, "... certainly");
    ktap_equal(watch_disarm(&both), 14, "... rw both");
    ktap_equal(both.breakpoint.doubtful, 0, "... certainly");
}

/*
 * QEMU 7.2 reports an unaligned store to every watch between the start of its page and its end,
 * though only to the lowest register.
 */
static void claim_unaligned(void)
{
    struct watch first, second;

    if (!watch_arm(&first, memory, 4, ARCH_WRITE))
        return;
    if (watch_arm(&second, memory + 44, 4, ARCH_WRITE)) {
        store8(memory + 41);
        ktap_equal(watch_disarm(&second), 1, "an unaligned store hits the watch that it touches");
        ktap_equal(second.breakpoint.doubtful, 0, "... certainly");
    }
    ktap_equal(watch_disarm(&first), 0, "... and no other");
    ktap_equal(first.breakpoint.doubtful, 0, "... certainly");
}

static void claim_unaligned_string(void)
{
    struct watch first, second;

    watch_arm(&first, memory, 2, ARCH_WRITE);
    watch_arm(&second, memory + 18, 2, ARCH_READ_WRITE);
    for (unsigned i = 0; i < 20; i++) {
        volatile uint8_t *to = memory + 4;
        uint64_t count = 2;

        __asm__ volatile("rep stosq" : "+D"(to), "+c"(count) : "a"(0) : "memory");
    }
    ktap_equal(watch_disarm(&first), 0, "unaligned rep stosq: no watch below it is hit");
    ktap_equal(first.breakpoint.doubtful, 0, "... certainly");
    ktap_equal(watch_disarm(&second), 20, "... and the one that it touches each time");
    ktap_equal(second.breakpoint.doubtful, 0, "... certainly");
}

static void debugreg_data_claims(void)
{
    claim_unaligned();
    claim_unaligned_string();
    claim_call();
    claim_lengths();
    claim_instructions();
    claim_string();
    claim_ip();
    claim_overlap();
    claim_shared();
    claim_spread();
    claim_device();
}

KTAP_SUITE(debugreg_data, "what data watches see");
