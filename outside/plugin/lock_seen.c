/* SPDX-License-Identifier: BSD-2-Clause */
/* See lock_seen.h. */
#include "outside/plugin/lock_seen.h"

#include <stdlib.h>
#include <string.h>

#include "outside/plugin/clock.h"
#include "outside/plugin/follow.h"
#include "outside/plugin/held.h"
#include "outside/plugin/registers.h"

#define SEEN_BITS   17
#define SEEN_MOST   (1u << SEEN_BITS) /* half of them are used */
#define SITES_BITS  14
#define SITES_MOST  (1u << SITES_BITS) /* the same */
#define NEAR_BITS   16
#define CODE_BEFORE 48 /* bytes around an instruction in which its loop is looked for */
#define CODE_AFTER  112

static struct seen *all; /* a hash table with open addressing */
static uint32_t count;
static struct lock_site *sites; /* the same, by ip */
static uint32_t site_count;
static uint64_t lost;
static bool may_be[1u << NEAR_BITS]; /* there may be one */

/* The first failure of those in a row of one call at one site. */
static struct cpu {
    struct seen *failed;
    const struct lock_site *failed_at;
    uint32_t context;
    uint64_t since;
} cpus[FOLLOW_CPUS];

bool lock_seen_begin(void)
{
    all = calloc(SEEN_MOST, sizeof(*all)); /* pages take memory only once used */
    sites = calloc(SITES_MOST, sizeof(*sites));
    return all && sites;
}

static uint32_t hash_of(uint64_t key, unsigned bits)
{
    return (uint32_t)((key * 0x9e3779b97f4a7c15u) >> (64 - bits));
}

/* --- Code --- */

struct lock_site *lock_seen_site(uint64_t ip, unsigned size,
                                 const struct decoded_exchange *exchange)
{
    uint32_t at = hash_of(ip, SITES_BITS);

    while (sites[at].ip && sites[at].ip != ip)
        at = (at + 1) % SITES_MOST;
    if (sites[at].ip && sites[at].end == ip + size &&
        memcmp(&sites[at].exchange, exchange, sizeof(*exchange)) == 0)
        return &sites[at];
    if (!sites[at].ip && site_count == SITES_MOST / 2) {
        lost++;
        return NULL;
    }
    site_count += !sites[at].ip;
    sites[at] = (struct lock_site){.ip = ip, .end = ip + size, .exchange = *exchange};
    return &sites[at];
}

static enum lock_site_kind kind_of(unsigned cpu, struct lock_site *site)
{
    size_t after = CODE_BEFORE + site->end - site->ip;
    uint8_t code[CODE_BEFORE + CODE_AFTER];
    struct decoded_spin spin;

    if (!registers_memory(cpu, site->ip - CODE_BEFORE, code, sizeof(code)))
        return LOCK_SITE_TRIES;
    if (site->exchange.kind != DECODED_ADD &&
        decode_waits(code, sizeof(code), CODE_BEFORE, after, &site->exchange))
        return LOCK_SITE_WAITS;
    spin = decode_spin(code, sizeof(code), after, &site->exchange);
    for (unsigned i = 0; spin.spins && i < spin.count; i++)
        site->loads[i] = site->ip - CODE_BEFORE + spin.loads[i];
    return spin.spins ? LOCK_SITE_SPINS : LOCK_SITE_TRIES;
}

bool lock_seen_spins(unsigned cpu, struct lock_site *site)
{
    if (site->found == LOCK_SITE_NEW)
        site->found = kind_of(cpu, site);
    return site->found == LOCK_SITE_SPINS;
}

static bool site_waits(unsigned cpu, struct lock_site *site)
{
    return lock_seen_spins(cpu, site) ? site->exchange.kind == DECODED_ADD
                                      : site->found == LOCK_SITE_WAITS;
}

/* --- Places in memory --- */

static bool *near_of(uint64_t address)
{
    return &may_be[(address ^ address >> NEAR_BITS) % (1u << NEAR_BITS)];
}

bool lock_seen_may_be(uint64_t address)
{
    return *near_of(address);
}

void lock_seen_expect(uint64_t address)
{
    *near_of(address) = true;
}

struct seen *lock_seen_find(uint64_t address, unsigned part)
{
    uint32_t at = hash_of(address ^ (uint64_t)part << 48, SEEN_BITS);

    while (all[at].address && (all[at].address != address || all[at].part != part))
        at = (at + 1) % SEEN_MOST;
    return &all[at];
}

struct seen *lock_seen_add(uint64_t address, unsigned part)
{
    struct seen *seen = lock_seen_find(address, part);

    if (seen->address)
        return seen;
    if (count == SEEN_MOST / 2) {
        lost++;
        return NULL;
    }
    count++;
    *seen = (struct seen){.address = address, .part = part};
    lock_seen_expect(address);
    return seen;
}

static unsigned flags_of(const struct seen *seen)
{
    return WIRE_LOCK_SEEN | seen->part << WIRE_LOCK_PART;
}

void lock_seen_break(struct seen *seen)
{
    seen->broken = true;
    seen->taken = seen->counted = false;
    if (!seen->lock)
        return;
    seen->lock->sound = false;
    held_drops(seen->lock);
}

/* Functions have the lock, or there is no room: nothing is told of it. */
static bool has_lock(struct seen *seen)
{
    if (!seen->lock)
        seen->lock = held_lock(seen->address, flags_of(seen));
    return seen->lock && seen->lock->flags & WIRE_LOCK_SEEN;
}

void lock_seen_renew(struct seen *seen)
{
    seen->waits = false;
    if (seen->lock)
        seen->lock = held_renew(seen->address, flags_of(seen));
}

/* --- Taken and given back --- */

static void give(unsigned cpu, struct seen *seen)
{
    seen->taken = false;
    if (!seen->counted)
        return;
    seen->counted = false;
    held_gives(cpu, seen->lock);
}

static uint64_t *late_of(struct seen *seen, unsigned cpu)
{
    return &seen->late[cpu / 64];
}

bool lock_seen_is_late(unsigned cpu, struct seen *seen)
{
    uint64_t bit = UINT64_C(1) << cpu % 64, *late = late_of(seen, cpu);
    bool is_late = *late & bit;

    *late &= ~bit;
    if (is_late && seen->lock)
        seen->lock->sound = true;
    return is_late;
}

void lock_seen_take(unsigned cpu, struct seen *seen, struct lock_site *site)
{
    struct cpu *here = &cpus[cpu];
    bool waits = site_waits(cpu, site);
    struct held_taking taking = {.place = {site->ip, follow_context(cpu), cpu}, .waits = waits};

    if (seen->broken)
        return;
    /*
     * What a CPU has stored is told before what it takes next: who takes again what it has, or
     * whose late store has not come, has given it back by something that is not told.
     */
    if ((seen->taken && seen->cpu == cpu) || lock_seen_is_late(cpu, seen)) {
        lock_seen_break(seen);
        return;
    }
    if (seen->taken) { /* so it was given back: by a store that is not told yet */
        *late_of(seen, seen->cpu) |= UINT64_C(1) << seen->cpu % 64;
        give(seen->cpu, seen);
    }
    seen->taken = true;
    seen->thread = follow_thread(cpu);
    seen->cpu = cpu;
    seen->handlers = follow_handlers(cpu);
    seen->waits |= waits;
    seen->counted = seen->waits && has_lock(seen);
    if (here->failed == seen && here->failed_at == site && here->context == taking.place.context) {
        taking.contended = true;
        taking.waited = clock_time(cpu) - here->since;
    } else if (waits && seen->counted) {
        held_wants(cpu, seen->lock, &taking.place);
    }
    here->failed = NULL;
    if (seen->counted)
        held_takes(cpu, seen->lock, &taking);
}

void lock_seen_fail(unsigned cpu, struct seen *seen, struct lock_site *site)
{
    struct cpu *here = &cpus[cpu];
    struct wire_place place = {site->ip, follow_context(cpu), cpu};

    if (seen->broken ||
        (here->failed == seen && here->failed_at == site && here->context == place.context))
        return;
    here->failed = seen;
    here->failed_at = site;
    here->context = place.context;
    here->since = clock_time(cpu);
    if (site_waits(cpu, site) && has_lock(seen))
        held_wants(cpu, seen->lock, &place);
}

/* A handler that has interrupted the holder: what was taken is a flag, of something begun. */
static bool has_interrupted(unsigned cpu, const struct seen *seen)
{
    return seen->thread && seen->thread == follow_thread(cpu) &&
           follow_handlers(cpu) > seen->handlers;
}

void lock_seen_free(unsigned cpu, struct seen *seen)
{
    if ((seen->thread != follow_thread(cpu) && seen->cpu != cpu) || has_interrupted(cpu, seen)) {
        lock_seen_break(seen);
        return;
    }
    if (seen->counted)
        seen->lock->sound = true;
    give(cpu, seen);
}

void lock_seen_reset(void)
{
    for (uint32_t i = 0; i < SEEN_MOST && count > 0; i++) {
        all[i].taken = all[i].counted = all[i].known = false;
        memset(all[i].late, 0, sizeof(all[i].late));
    }
    memset(cpus, 0, sizeof(cpus));
}

uint64_t lock_seen_queues(void)
{
    uint64_t queues = 0;

    for (uint32_t i = 0; i < SEEN_MOST && count > 0; i++)
        queues += all[i].queues && !(all[i].lock && all[i].lock->sound);
    return queues;
}

uint64_t lock_seen_lost(void)
{
    return lost;
}
