/* SPDX-License-Identifier: BSD-2-Clause */
/* See race_words.h. */
#include "outside/plugin/race_words.h"

#include <stdlib.h>

#include "outside/plugin/named.h"
#include "outside/plugin/store.h"

#define USERS_BITS 20u
#define SYNC_BITS  25u /* so many that other words seldom share a bit with a lock */
#define SYNC_UNIT  4u  /* bytes: a lock and what it protects may be in the same 8 */
#define WORD_BITS  64u
#define CPU_BITS   16u
#define MULTIPLIER 0x9e3779b97f4a7c15u

static uint32_t *users; /* [hash]: 1 + the CPU of the last use, and above it of the one before */
static uint64_t *sync_bits;
static struct ranges named; /* variables that synchronise, and code that accesses such */
static uint64_t slide;

bool race_words_begin(const struct request *request)
{
    if (sync_bits)
        return true;
    named = ranges_of(request, request->race.sync);
    users = calloc(1u << USERS_BITS, sizeof(*users));
    sync_bits = calloc((1u << SYNC_BITS) / WORD_BITS, sizeof(*sync_bits));
    return users && sync_bits;
}

/* Lines that are neighbours share a line of the host's, because they are used together. */
static uint32_t *users_of(uint64_t line)
{
    return &users[(line ^ line >> USERS_BITS) % (1u << USERS_BITS)];
}

/* A line that was given to another CPU for good is that CPU's from its second use on. */
void race_words_use(unsigned user, uint64_t line)
{
    uint32_t *of = users_of(line), before = __atomic_load_n(of, __ATOMIC_RELAXED),
             now = before << CPU_BITS | (user + 1);

    if (now != before)
        __atomic_store_n(of, now, __ATOMIC_RELAXED);
}

bool race_words_are_shared(uint64_t line)
{
    uint32_t of = __atomic_load_n(users_of(line), __ATOMIC_RELAXED);

    return of >> CPU_BITS && of >> CPU_BITS != (of & ((1u << CPU_BITS) - 1));
}

bool race_words_are_of(uint64_t line, unsigned user, unsigned other)
{
    uint32_t of = __atomic_load_n(users_of(line), __ATOMIC_RELAXED);

    return of == ((user + 1) << CPU_BITS | (other + 1)) ||
           of == ((other + 1) << CPU_BITS | (user + 1));
}

/* --- What synchronises --- */

void race_words_slide(uint64_t by)
{
    slide += by;
}

bool race_words_are_named(uint64_t address)
{
    return ranges_find(&named, address - slide);
}

static uint64_t *bit_of(uint64_t unit, uint64_t *bit)
{
    uint64_t hash = unit * MULTIPLIER >> (64 - SYNC_BITS);

    *bit = UINT64_C(1) << hash % WORD_BITS;
    return &sync_bits[hash / WORD_BITS];
}

void race_words_synchronise(uint64_t address, unsigned length)
{
    for (uint64_t unit = address / SYNC_UNIT; unit * SYNC_UNIT < address + length; unit++) {
        uint64_t bit, *bits = bit_of(unit, &bit);

        if (!(__atomic_load_n(bits, __ATOMIC_RELAXED) & bit))
            __atomic_fetch_or(bits, bit, __ATOMIC_RELAXED);
    }
}

bool race_words_do_synchronise(uint64_t address, unsigned length)
{
    for (uint64_t unit = address / SYNC_UNIT; unit * SYNC_UNIT < address + length; unit++) {
        uint64_t bit;

        if (__atomic_load_n(bit_of(unit, &bit), __ATOMIC_RELAXED) & bit)
            return true;
    }
    return race_words_are_named(address);
}

/* --- Accesses --- */

unsigned race_access_length(const struct race_access *access)
{
    unsigned length = store_length(access->info);

    return length ? length : 1u << qemu_plugin_mem_size_shift(access->info);
}

bool race_access_stores(const struct race_access *access)
{
    return store_length(access->info) != 0;
}

void race_recent_keep(struct race_recent *recent, const struct race_access *access)
{
    recent->accesses[recent->count++ % RACE_RECENTS] = *access;
}

/* The access that was kept `back` accesses before the last one. */
static const struct race_access *before(const struct race_recent *recent, uint32_t back)
{
    return &recent->accesses[(recent->count - 1 - back) % RACE_RECENTS];
}

bool race_recent_polls(const struct race_recent *recent)
{
    for (uint32_t period = 1; period <= RACE_RECENTS / 2; period++) {
        uint32_t same = 0;

        while (same < period && before(recent, same)->ip == before(recent, same + period)->ip &&
               before(recent, same)->address == before(recent, same + period)->address &&
               !race_access_stores(before(recent, same)))
            same++;
        if (same == period)
            return true;
    }
    return false;
}

void race_words_on_atomic(unsigned cpu, qemu_plugin_meminfo_t info, uint64_t address, void *own)
{
    const struct race_access access = {.address = address, .info = info};

    (void)cpu;
    (void)own;
    race_words_synchronise(address, race_access_length(&access));
}
