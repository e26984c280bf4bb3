/* SPDX-License-Identifier: BSD-2-Clause */
/* See lock_seen.h: tickets. */
#include "outside/plugin/lock_seen.h"

#include <string.h>

#include "outside/plugin/follow.h"

#define LOADS_MOST 4096u /* a power of two; half of them are used */
#define WAITS_MOST 8u    /* of a CPU: handlers and other threads may wait while a thread does */

static uint64_t loads[LOADS_MOST]; /* a hash table with open addressing */
static unsigned load_count;

static struct cpu {
    unsigned count;
    struct wait {
        struct seen *word;
        struct lock_site *site;
        uint64_t ticket;
        uint32_t thread;
    } waits[WAITS_MOST];
} cpus[FOLLOW_CPUS];

/* --- Loads that may find a ticket --- */

static uint64_t *load_at(uint64_t ip)
{
    uint32_t at = (uint32_t)((ip * 0x9e3779b97f4a7c15u) >> 40) % LOADS_MOST;

    while (loads[at] && loads[at] != ip)
        at = (at + 1) % LOADS_MOST;
    return &loads[at];
}

void lock_tickets_expect(struct lock_site *site)
{
    for (unsigned i = 0; i < DECODED_LOADS_MOST && site->loads[i]; i++) {
        uint64_t *load = load_at(site->loads[i]);

        if (!*load && load_count < LOADS_MOST / 2) {
            load_count++;
            *load = site->loads[i];
        }
    }
}

bool lock_tickets_has_load(uint64_t ip)
{
    return *load_at(ip);
}

/* --- Tickets --- */

static void forget(struct seen *word)
{
    for (unsigned cpu = 0; cpu < FOLLOW_CPUS; cpu++)
        for (unsigned i = 0; i < cpus[cpu].count; i++)
            if (cpus[cpu].waits[i].word == word)
                cpus[cpu].waits[i--] = cpus[cpu].waits[--cpus[cpu].count];
}

static void break_word(struct seen *word)
{
    forget(word);
    lock_seen_break(word);
}

/* True of a word that counts, or whose waits are not seen: else the thread waits for itself. */
static bool has_ticket(const struct cpu *here, const struct seen *word, uint32_t thread)
{
    for (unsigned i = 0; i < here->count; i++)
        if (here->waits[i].word == word && here->waits[i].thread == thread)
            return true;
    return false;
}

static bool is_waited_for(const struct seen *word)
{
    for (unsigned cpu = 0; cpu < FOLLOW_CPUS; cpu++)
        for (unsigned i = 0; i < cpus[cpu].count; i++)
            if (cpus[cpu].waits[i].word == word)
                return true;
    return false;
}

void lock_tickets_add(unsigned cpu, struct lock_site *site, uint64_t address, uint64_t old,
                      uint64_t added)
{
    unsigned width = site->exchange.width;
    struct cpu *here = &cpus[cpu];
    struct seen *word;

    if (!lock_seen_spins(cpu, site)) {
        lock_tickets_exchange(cpu, address, lock_seen_part(old + added, width), width);
        return;
    }
    word = lock_seen_add(address, 0);
    if (!word || word->broken)
        return;
    if (!word->tickets) {
        word->tickets = word->queues = true;
        word->width = width;
        lock_seen_expect(address - width);
        lock_seen_expect(address + width);
    }
    if (word->width != width || added != 1 || here->count == WAITS_MOST ||
        has_ticket(here, word, follow_thread(cpu)))
        break_word(word);
    else
        here->waits[here->count++] = (struct wait){word, site, old, follow_thread(cpu)};
}

/* The words that give tickets and are in these bytes: what else changes them is against it. */
static void break_words(uint64_t address, unsigned length)
{
    for (uint64_t at = address & ~UINT64_C(7); at < address + length; at++) {
        struct seen *word = lock_seen_find(at, 0);

        if (word->tickets && !word->broken && at + word->width > address)
            break_word(word);
    }
}

bool lock_tickets_waits(unsigned cpu)
{
    return cpus[cpu].count > 0;
}

static bool may_serve(const struct seen *word, uint64_t address, unsigned length)
{
    return length == word->width &&
           (word->serving ? address == word->serving
                          : address == word->address + length || address == word->address - length);
}

void lock_tickets_load(unsigned cpu, uint64_t address, uint64_t value, unsigned length)
{
    struct cpu *here = &cpus[cpu];

    for (unsigned i = here->count; i-- > 0;) {
        struct wait wait = here->waits[i];

        if (wait.thread != follow_thread(cpu) || !may_serve(wait.word, address, length))
            continue;
        if (lock_seen_part(value, length) == wait.ticket) {
            here->waits[i] = here->waits[--here->count];
            wait.word->serving = address;
            lock_seen_take(cpu, wait.word, wait.site);
            wait.word->held = wait.ticket;
        } else if (wait.word->serving) {
            lock_seen_fail(cpu, wait.word, wait.site);
        }
        return;
    }
}

/* --- Stores --- */

static void serve(unsigned cpu, struct seen *word, uint64_t value)
{
    if (lock_seen_is_late(cpu, word))
        return;
    if (word->taken && value == lock_seen_part(word->held + 1, word->width))
        lock_seen_free(cpu, word);
    else if (word->taken || is_waited_for(word))
        break_word(word);
    else
        lock_seen_renew(word);
}

static void serve_beside(unsigned cpu, uint64_t address, uint64_t value, unsigned length)
{
    for (int side = -1; side <= 1; side += 2) {
        struct seen *word = lock_seen_find(address + (uint64_t)(side * (int)length), 0);

        if (word->tickets && !word->broken && word->serving == address && word->width == length)
            serve(cpu, word, value);
    }
}

void lock_tickets_exchange(unsigned cpu, uint64_t address, uint64_t value, unsigned length)
{
    serve_beside(cpu, address, value, length);
    break_words(address, length);
}

void lock_tickets_store(unsigned cpu, uint64_t address, uint64_t value, unsigned length)
{
    serve_beside(cpu, address, value, length);
    if (lock_seen_find(address, 0)->tickets && is_waited_for(lock_seen_find(address, 0)))
        break_words(address, length);
}

/* `value`: the sum, or, on several CPUs, what was added. */
void lock_tickets_atomic(unsigned cpu, uint64_t address, uint64_t value, unsigned length)
{
    for (int side = -1; side <= 1; side += 2) {
        struct seen *word = lock_seen_find(address + (uint64_t)(side * (int)length), 0);

        if (word->tickets && !word->broken && word->serving == address)
            serve(cpu, word, value == 1 ? lock_seen_part(word->held + 1, word->width) : value);
    }
    break_words(address, length);
}

void lock_tickets_reset(void)
{
    memset(cpus, 0, sizeof(cpus));
}
