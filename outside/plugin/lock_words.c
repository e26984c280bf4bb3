/* SPDX-License-Identifier: BSD-2-Clause */
/* See lock_seen.h: words, and bits of them. */
#include "outside/plugin/lock_seen.h"

#include "outside/plugin/follow.h"
#include "outside/plugin/registers.h"

#define UNIT 4u /* bytes whose bits are told */

static struct cpu {
    struct lock_site *site; /* whose exchange runs */
    uint64_t reg, ax;       /* before it */
    uint64_t address;       /* of its access; 0: none yet */
} cpus[FOLLOW_CPUS];

/* An exchange has changed the word. */
static void change_word(unsigned cpu, struct seen *word, struct lock_site *site, uint64_t old,
                        uint64_t new)
{
    if (!word->known) {
        word->known = true;
        word->free = old;
        word->held = new;
    }
    if (old == word->free && new == word->held)
        lock_seen_take(cpu, word, site);
    else if (word->taken && old == word->held && new == word->free)
        lock_seen_free(cpu, word);
    else
        lock_seen_break(word);
}

void lock_words_before(unsigned cpu, struct lock_site *site)
{
    struct cpu *here = &cpus[cpu];

    here->site = site;
    here->address = 0;
    here->reg = registers_general(cpu, site->exchange.reg);
    here->ax = registers_general(cpu, REGISTERS_AX);
}

void lock_words_accesses(unsigned cpu, uint64_t address)
{
    cpus[cpu].address = address;
}

void lock_words_after(unsigned cpu, struct lock_site *site)
{
    struct cpu *here = &cpus[cpu];
    unsigned width = site->exchange.width;
    uint64_t old, new = lock_seen_part(here->reg, width);
    struct seen *word;

    if (here->site != site || here->address == 0 || follow_is_inside(cpu))
        return;
    here->site = NULL;
    if (site->exchange.kind == DECODED_COMPARE) {
        old = lock_seen_part(registers_general(cpu, REGISTERS_AX), width);
        if (old != lock_seen_part(here->ax, width)) /* it has stored nothing */
            new = old;
    } else {
        old = lock_seen_part(registers_general(cpu, site->exchange.reg), width);
    }
    if (site->exchange.kind == DECODED_ADD) {
        lock_words_atomic(cpu, DECODED_CHANGES_BITS, here->address, new, width);
        lock_bits_atomic(cpu, DECODED_CHANGES_BITS, here->address, new, width);
        lock_tickets_add(cpu, site, here->address, old, new);
        return;
    }
    lock_bits_exchange(cpu, here->address, width, old, new);
    if (old != new)
        lock_tickets_exchange(cpu, here->address, new, width);
    word = lock_seen_add(here->address, 0);
    if (!word)
        return;
    word->queues |= old != new &&lock_seen_spins(cpu, site);
    if (word->broken)
        return;
    if (!word->width)
        word->width = width;
    if (word->width != width)
        lock_seen_break(word);
    else if (old != new)
        change_word(cpu, word, site, old, new);
    else if (word->taken && old == word->held)
        lock_seen_fail(cpu, word, site);
}

void lock_words_store(unsigned cpu, uint64_t address, uint64_t value, unsigned length)
{
    struct seen *word = lock_seen_find(address, 0);
    unsigned width = word->width < length ? word->width : length;

    if (!word->address || word->broken || !word->known || follow_is_inside(cpu) ||
        (lock_seen_part(value, width) == lock_seen_part(word->free, width) &&
         lock_seen_is_late(cpu, word)))
        return;
    if (!word->taken) { /* a new lock, or other data */
        word->known = false;
        lock_seen_renew(word);
    } else if (lock_seen_part(value, width) == lock_seen_part(word->free, width)) {
        lock_seen_free(cpu, word);
    } else {
        lock_seen_break(word);
    }
}

void lock_words_atomic(unsigned cpu, enum decoded_bits kind, uint64_t address, uint64_t value,
                       unsigned length)
{
    struct seen *word = lock_seen_find(address, 0);

    if (kind == DECODED_CLEARS_BITS && value == 0) /* all of them */
        lock_words_store(cpu, address, value, length);
    else if (word->known && !word->broken && !follow_is_inside(cpu))
        lock_seen_break(word);
}

void lock_words_reset(void)
{
    for (unsigned cpu = 0; cpu < FOLLOW_CPUS; cpu++)
        cpus[cpu].site = NULL;
    lock_tickets_reset();
}

/* --- Bits --- */

static uint64_t numbers[FOLLOW_CPUS]; /* of the bit, before the CPU's `lock bts` */

void lock_bits_before(unsigned cpu, const struct lock_site *site)
{
    numbers[cpu] = registers_general(cpu, site->exchange.reg);
}

/* Stores of 1 to 8 bytes that have the unit begin there, or at one of its bytes. */
static void expect_stores(uint64_t unit)
{
    for (unsigned i = 0; i < UNIT; i++)
        lock_seen_expect(unit + i);
    lock_seen_expect(unit & ~(uint64_t)UNIT);
}

/* The bit of this number at the address; NULL: no room. */
static struct seen *find_or_add(uint64_t address, unsigned number)
{
    uint64_t byte = address + number / 8, unit = byte & ~(uint64_t)(UNIT - 1);
    unsigned bit = (unsigned)(8 * (byte - unit)) + number % 8;
    struct seen *word = lock_seen_add(unit, 0);

    if (!word)
        return NULL;
    if (!word->bits)
        expect_stores(unit);
    word->bits |= 1u << bit;
    return lock_seen_add(unit, 1 + bit);
}

void lock_bits_test(unsigned cpu, struct lock_site *site, uint64_t address, uint64_t old)
{
    const struct decoded_exchange *exchange = &site->exchange;
    uint64_t number = exchange->has_bit ? exchange->bit : numbers[cpu];
    unsigned in_word = (unsigned)(number % (8 * exchange->width));
    struct seen *bit = follow_is_inside(cpu) ? NULL : find_or_add(address, in_word);

    if (!bit || bit->broken)
        return;
    if (!(old >> in_word & 1))
        lock_seen_take(cpu, bit, site);
    else if (bit->taken)
        lock_seen_fail(cpu, bit, site);
}

static void is_cleared(unsigned cpu, struct seen *bit)
{
    if (!lock_seen_is_late(cpu, bit) && bit->taken)
        lock_seen_free(cpu, bit);
}

static void is_set(unsigned cpu, struct seen *bit)
{
    (void)cpu;
    if (!bit->taken)
        lock_seen_break(bit);
}

static void may_change(unsigned cpu, struct seen *bit)
{
    (void)cpu;
    lock_seen_break(bit);
}

/* Calls `change` for those bits that are locks and 1 in `which`, which begins at the address. */
static void for_each(unsigned cpu, uint64_t address, unsigned length, uint64_t which,
                     void (*change)(unsigned cpu, struct seen *bit))
{
    for (uint64_t unit = address & ~(uint64_t)(UNIT - 1); unit < address + length; unit += UNIT) {
        uint32_t bits = lock_seen_find(unit, 0)->bits;

        if (bits && follow_is_inside(cpu))
            return;
        for (unsigned i = 0; bits && i < 8 * UNIT; i++) {
            uint64_t at = 8 * (unit - address) + i; /* huge, if the store begins after it */
            struct seen *bit = bits >> i & 1 ? lock_seen_find(unit, 1 + i) : NULL;

            if (bit && !bit->broken && at < 8 * length && which >> at & 1)
                change(cpu, bit);
        }
    }
}

void lock_bits_store(unsigned cpu, uint64_t address, uint64_t value, unsigned length)
{
    for_each(cpu, address, length, ~value, is_cleared);
    for_each(cpu, address, length, value, is_set);
}

void lock_bits_exchange(unsigned cpu, uint64_t address, unsigned length, uint64_t old, uint64_t new)
{
    for_each(cpu, address, length, old & ~new, is_cleared);
    for_each(cpu, address, length, new & ~old, may_change);
}

void lock_bits_atomic(unsigned cpu, enum decoded_bits kind, uint64_t address, uint64_t value,
                      unsigned length)
{
    if (kind == DECODED_CLEARS_BITS)
        for_each(cpu, address, length, ~value, is_cleared);
    else if (kind == DECODED_SETS_BITS)
        for_each(cpu, address, length, value, is_set);
    else
        for_each(cpu, address, length, UINT64_MAX, may_change);
}
