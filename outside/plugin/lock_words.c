/* SPDX-License-Identifier: BSD-2-Clause */
/* See lock_words.h. */
#include "outside/plugin/lock_words.h"

#include "outside/plugin/follow.h"
#include "outside/plugin/lock_bits.h"
#include "outside/plugin/lock_tickets.h"
#include "outside/plugin/registers.h"

static struct cpu {
    struct lock_site *site; /* whose exchange runs */
    uint64_t reg, ax;       /* before it */
    uint64_t address;       /* of its access; 0: none yet */
} cpus[FOLLOW_CPUS];

/* An exchange has changed the word. */
static void change(unsigned cpu, struct seen *word, struct lock_site *site, uint64_t old,
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

static uint64_t part_of(uint64_t value, unsigned width)
{
    return width < sizeof(value) ? value & ((UINT64_C(1) << 8 * width) - 1) : value;
}

void lock_words_after(unsigned cpu, struct lock_site *site)
{
    struct cpu *here = &cpus[cpu];
    unsigned width = site->exchange.width;
    uint64_t old, new = part_of(here->reg, width);
    struct seen *word;

    if (here->site != site || here->address == 0 || follow_is_inside(cpu))
        return;
    here->site = NULL;
    if (site->exchange.kind == DECODED_COMPARE) {
        old = part_of(registers_general(cpu, REGISTERS_AX), width);
        if (old != part_of(here->ax, width)) /* it has stored nothing */
            new = old;
    } else {
        old = part_of(registers_general(cpu, site->exchange.reg), width);
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
        change(cpu, word, site, old, new);
    else if (word->taken && old == word->held)
        lock_seen_fail(cpu, word, site);
}

void lock_words_store(unsigned cpu, uint64_t address, uint64_t value, unsigned length)
{
    struct seen *word = lock_seen_find(address, 0);
    unsigned width = word->width < length ? word->width : length;

    if (!word->address || word->broken || !word->known || follow_is_inside(cpu) ||
        (part_of(value, width) == part_of(word->free, width) && lock_seen_is_late(cpu, word)))
        return;
    if (!word->taken) { /* a new lock, or other data */
        word->known = false;
        lock_seen_renew(word);
    } else if (part_of(value, width) == part_of(word->free, width)) {
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
