/* SPDX-License-Identifier: BSD-2-Clause */
/* See lock_words.h. */
#include "outside/plugin/lock_words.h"

#include <stdlib.h>
#include <string.h>

#include "outside/plugin/clock.h"
#include "outside/plugin/follow.h"
#include "outside/plugin/held.h"
#include "outside/plugin/registers.h"

#define WORDS_MOST  (1u << 17) /* a power of two; half of them are used */
#define SITES_MOST  (1u << 14) /* the same */
#define NEAR_BITS   16
#define CODE_BEFORE 48 /* bytes around an exchange in which its loop is looked for */
#define CODE_AFTER  112

struct word {
    uint64_t address; /* 0: free */
    uint64_t free, held;
    unsigned width;
    bool known;   /* `free` and `held` are */
    bool broken;  /* is no lock */
    bool waits;   /* some code waits for it */
    bool taken;   /* by this thread, on this CPU: */
    bool counted; /* ... and `lock` is told of it */
    uint32_t thread;
    unsigned cpu;
    unsigned late; /* 1 + the CPU whose store has not been told yet, though it was made */
    struct lock *lock;
};

static struct word *words; /* a hash table with open addressing */
static uint32_t word_count;
static struct lock_site *sites; /* the same, by ip */
static uint32_t site_count;
static uint64_t lost;
static bool may_be[1u << NEAR_BITS]; /* there may be a word */

static struct cpu {
    struct lock_site *site; /* whose exchange runs */
    uint64_t reg, ax;       /* before it */
    uint64_t address;       /* of its access; 0: none yet */
    /* The first failure of those in a row of one call at one site: */
    struct word *failed;
    const struct lock_site *failed_at;
    uint32_t context;
    uint64_t since;
} cpus[FOLLOW_CPUS];

bool lock_words_begin(void)
{
    words = calloc(WORDS_MOST, sizeof(*words)); /* pages take memory only once used */
    sites = calloc(SITES_MOST, sizeof(*sites));
    return words && sites;
}

static uint32_t hash_of(uint64_t key, unsigned bits)
{
    return (uint32_t)((key * 0x9e3779b97f4a7c15u) >> (64 - bits));
}

struct lock_site *lock_words_site(uint64_t ip, unsigned size,
                                  const struct decoded_exchange *exchange)
{
    uint32_t at = hash_of(ip, 14);

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

/* Reads the code around the exchange, the first time. */
static bool site_waits(unsigned cpu, struct lock_site *site)
{
    uint8_t code[CODE_BEFORE + CODE_AFTER];

    if (site->found == LOCK_SITE_NEW) {
        site->found = LOCK_SITE_TRIES;
        if (registers_memory(cpu, site->ip - CODE_BEFORE, code, sizeof(code)) &&
            decode_waits(code, sizeof(code), CODE_BEFORE, CODE_BEFORE + site->end - site->ip,
                         &site->exchange))
            site->found = LOCK_SITE_WAITS;
    }
    return site->found == LOCK_SITE_WAITS;
}

/* --- Words --- */

static bool *near_of(uint64_t address)
{
    return &may_be[(address ^ address >> NEAR_BITS) % (1u << NEAR_BITS)];
}

bool lock_words_may_have(uint64_t address)
{
    return *near_of(address);
}

static struct word *find(uint64_t address)
{
    uint32_t at = hash_of(address, 17);

    while (words[at].address && words[at].address != address)
        at = (at + 1) % WORDS_MOST;
    return &words[at];
}

static struct word *find_or_add(uint64_t address, unsigned width)
{
    struct word *word = find(address);

    if (word->address)
        return word;
    if (word_count == WORDS_MOST / 2) {
        lost++;
        return NULL;
    }
    word_count++;
    *word = (struct word){.address = address, .width = width};
    *near_of(address) = true;
    return word;
}

/* It is no lock, whatever it looked like. */
static void break_word(struct word *word)
{
    word->broken = true;
    word->taken = word->counted = false;
    if (!word->lock)
        return;
    word->lock->sound = false;
    held_drops(word->lock);
}

/* Functions have the lock, or there is no room: nothing is told of it. */
static bool has_lock(struct word *word)
{
    if (!word->lock)
        word->lock = held_lock(word->address, WIRE_LOCK_SEEN);
    return word->lock && word->lock->flags & WIRE_LOCK_SEEN;
}

/* --- Taken and given back --- */

static void take(unsigned cpu, struct word *word, struct lock_site *site)
{
    struct cpu *here = &cpus[cpu];
    bool waits = site_waits(cpu, site);
    struct held_taking taking = {.place = {site->ip, follow_context(cpu), cpu}, .waits = waits};

    word->taken = true;
    word->thread = follow_thread(cpu);
    word->cpu = cpu;
    word->waits |= waits;
    word->counted = word->waits && has_lock(word);
    if (here->failed == word && here->failed_at == site && here->context == taking.place.context) {
        taking.contended = true;
        taking.waited = clock_time(cpu) - here->since;
    } else if (waits && word->counted) {
        held_wants(cpu, word->lock, &taking.place);
    }
    here->failed = NULL;
    if (word->counted)
        held_takes(cpu, word->lock, &taking);
}

static void fail(unsigned cpu, struct word *word, struct lock_site *site)
{
    struct cpu *here = &cpus[cpu];
    struct wire_place place = {site->ip, follow_context(cpu), cpu};

    if (here->failed == word && here->failed_at == site && here->context == place.context)
        return;
    here->failed = word;
    here->failed_at = site;
    here->context = place.context;
    here->since = clock_time(cpu);
    if (site_waits(cpu, site) && has_lock(word))
        held_wants(cpu, word->lock, &place);
}

static void give(unsigned cpu, struct word *word)
{
    word->taken = false;
    if (!word->counted)
        return;
    word->counted = false;
    word->lock->sound = true;
    held_gives(cpu, word->lock);
}

/* The free value was stored while the word was taken. */
static void free_word(unsigned cpu, struct word *word)
{
    if (word->thread == follow_thread(cpu) || word->cpu == cpu)
        give(cpu, word);
    else
        break_word(word);
}

/* An exchange has changed the word. */
static void change(unsigned cpu, struct word *word, struct lock_site *site, uint64_t old,
                   uint64_t new)
{
    if (!word->known) {
        word->known = true;
        word->free = old;
        word->held = new;
    }
    if (old == word->free && new == word->held) {
        if (word->taken) { /* so it was given back: by a store that is not told yet */
            word->late = word->cpu + 1;
            give(word->cpu, word);
        }
        take(cpu, word, site);
    } else if (word->taken && old == word->held && new == word->free) {
        free_word(cpu, word);
    } else {
        break_word(word);
    }
}

/* --- What runs --- */

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
    struct word *word;

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
    word = find_or_add(here->address, width);
    if (!word || word->broken)
        return;
    if (word->width != width)
        break_word(word);
    else if (old != new)
        change(cpu, word, site, old, new);
    else if (word->taken && old == word->held)
        fail(cpu, word, site);
}

void lock_words_store(unsigned cpu, uint64_t address, uint64_t value, unsigned length)
{
    struct word *word = find(address);
    unsigned width = word->width < length ? word->width : length;

    if (!word->address || word->broken || !word->known || follow_is_inside(cpu))
        return;
    if (word->late == cpu + 1) {
        word->late = 0;
    } else if (!word->taken) { /* a new lock, or other data */
        word->known = false;
        word->waits = false;
        if (word->lock)
            word->lock = held_renew(address, WIRE_LOCK_SEEN);
    } else if (part_of(value, width) == part_of(word->free, width)) {
        free_word(cpu, word);
    } else {
        break_word(word);
    }
}

void lock_words_reset(void)
{
    for (uint32_t i = 0; i < WORDS_MOST && word_count > 0; i++)
        words[i].taken = words[i].counted = words[i].known = false;
    memset(cpus, 0, sizeof(cpus));
}

uint64_t lock_words_lost(void)
{
    return lost;
}
