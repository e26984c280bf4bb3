/* SPDX-License-Identifier: BSD-2-Clause */
/* See objects.h. */
#define _GNU_SOURCE
#include "outside/plugin/objects.h"

#include <stddef.h>
#include <sys/mman.h>

#define PAGE  4096u
#define WORDS (HEAP_REGION / HEAP_WORD)
#define QUICK 32u /* that heap_words_are_plain may read behind the last word */
#define BITS  64u /* of an element of `starts` */

struct heap_words_region heap_words_regions[HEAP_REGIONS];

static void *reserve(uint64_t size)
{
    void *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                    -1, 0);

    return at == MAP_FAILED ? NULL : at;
}

/* Returns the region of an address; NULL: there is none, or no room to make it. */
static struct heap_words_region *region_of(uint64_t address, bool make)
{
    uint64_t number = address >> HEAP_REGION_BITS;

    for (unsigned i = 0; i < HEAP_REGIONS; i++) {
        struct heap_words_region *region = &heap_words_regions[(number + i) % HEAP_REGIONS];
        uint8_t *states;

        if (region->states && region->number == number)
            return region;
        if (region->states)
            continue;
        if (!make)
            return NULL;
        region->number = number;
        region->starts = reserve(WORDS / BITS * sizeof(*region->starts));
        states = region->starts ? reserve(WORDS + QUICK) : NULL;
        __atomic_store_n(&region->states, states, __ATOMIC_RELEASE);
        return states ? region : NULL;
    }
    return NULL;
}

bool heap_words_make(uint64_t address)
{
    return region_of(address, true);
}

/* The number of the word that has this byte, in its region. */
static uint64_t word_of(uint64_t address)
{
    return address % HEAP_REGION / HEAP_WORD;
}

static void set_state(uint64_t address, uint8_t state)
{
    struct heap_words_region *region = region_of(address, false);

    if (region)
        __atomic_store_n(&region->states[word_of(address)], state, __ATOMIC_RELAXED);
}

void heap_words_set(uint64_t start, uint64_t size, uint8_t state)
{
    uint64_t end = start + size, at = heap_word_start(start);

    while (at < end) {
        uint64_t next = (at | (HEAP_REGION - 1)) + 1, until = end < next ? end : next;
        struct heap_words_region *region = region_of(at, false);

        if (region)
            memset(region->states + word_of(at), state, (until - at + HEAP_WORD - 1) / HEAP_WORD);
        at = until;
    }
    if (state == HEAP_WORD_LIVE && end % HEAP_WORD)
        set_state(end, (uint8_t)(end % HEAP_WORD));
}

void heap_words_set_start(uint64_t address, bool starts)
{
    struct heap_words_region *region = region_of(address, false);
    uint64_t word = word_of(address), bit = UINT64_C(1) << word % BITS;

    if (!region)
        return;
    if (starts)
        region->starts[word / BITS] |= bit;
    else
        region->starts[word / BITS] &= ~bit;
}

/*
 * Returns the last word of the region from `least` to the address in which an object begins;
 * UINT64_MAX: none.
 */
static uint64_t start_in(const struct heap_words_region *region, uint64_t least, uint64_t address)
{
    uint64_t base = address & ~(HEAP_REGION - 1), word = word_of(address), at = word / BITS;
    uint64_t first = least > base ? word_of(least) : 0;
    uint64_t bits = region->starts[at] & (UINT64_MAX >> (BITS - 1 - word % BITS));

    while (!bits && at > first / BITS)
        bits = region->starts[--at];
    if (!bits)
        return UINT64_MAX;
    word = at * BITS + (BITS - 1 - (uint64_t)__builtin_clzll(bits));
    return word < first ? UINT64_MAX : base + word * HEAP_WORD;
}

uint64_t heap_words_last_start(uint64_t least, uint64_t address)
{
    const struct heap_words_region *region;
    uint64_t start = UINT64_MAX, base = address & ~(HEAP_REGION - 1);

    for (; start == UINT64_MAX && address >= least; address = base - 1) {
        base = address & ~(HEAP_REGION - 1);
        region = region_of(address, false);
        start = region ? start_in(region, least, address) : UINT64_MAX;
        if (base == 0)
            break;
    }
    return start;
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t most(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static void mark_near(uint64_t from, uint64_t until)
{
    for (uint64_t at = from; at < until; at += HEAP_WORD)
        if (heap_words_state(at) == HEAP_WORD_OTHER)
            set_state(at, HEAP_WORD_NEAR);
}

void heap_words_set_beside(uint64_t start, uint64_t last, uint16_t guard, uint64_t from,
                           uint64_t until)
{
    uint64_t first = heap_word_start(start), page = first & ~(uint64_t)(PAGE - 1);
    uint64_t next = (last + PAGE - 1) & ~(uint64_t)(PAGE - 1);
    uint64_t end = heap_word_start(last + HEAP_WORD - 1);

    from = most(heap_word_start(from + HEAP_WORD - 1), page);
    mark_near(most(from, first - least(first, HEAP_BESIDE)), first);
    next = most(least(next, end + HEAP_BESIDE), last + guard);
    mark_near(end, least(next, heap_word_start(until)));
}

void heap_words_open(uint64_t start, uint64_t size)
{
    for (uint64_t at = heap_word_start(start); at < start + size; at += HEAP_WORD)
        set_state(at, HEAP_WORD_OPEN);
}

/* Readers without a lock see the words change, not the regions go. */
void heap_words_reset(void)
{
    for (unsigned i = 0; i < HEAP_REGIONS; i++) {
        if (!heap_words_regions[i].states)
            continue;
        madvise(heap_words_regions[i].states, WORDS + QUICK, MADV_DONTNEED);
        madvise(heap_words_regions[i].starts, WORDS / BITS * sizeof(uint64_t), MADV_DONTNEED);
    }
}
