/* SPDX-License-Identifier: BSD-2-Clause */
/* See objects.h. */
#define _GNU_SOURCE
#include "outside/plugin/objects.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define NONE       0u /* no object: numbers begin at 1 */
#define FIRST_ROOM 4096u
#define BUCKETS    4096u /* at first */
#define PAGE       4096u
#define WORDS      (OBJECTS_REGION / OBJECTS_WORD)
#define QUICK      32u /* that objects_are_plain may read behind the last word */
#define BITS       64u /* of an element of `starts` */

struct objects_region objects_regions[OBJECTS_REGIONS];

static struct object *objects;     /* [number] */
static uint32_t used, room, spare; /* spare: the first of those that are free, linked by `next` */
static uint32_t *buckets, bucket_count, known; /* by address; known: objects in them */
static uint64_t largest;                       /* size of an object so far */

bool objects_begin(void)
{
    objects = malloc(FIRST_ROOM * sizeof(*objects));
    buckets = calloc(BUCKETS, sizeof(*buckets));
    room = FIRST_ROOM;
    bucket_count = BUCKETS;
    used = NONE + 1;
    return objects && buckets;
}

/* --- The shadow --- */

static void *reserve(uint64_t size)
{
    void *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                    -1, 0);

    return at == MAP_FAILED ? NULL : at;
}

/* Returns the region of an address; NULL: there is none, or no room to make it. */
static struct objects_region *region_of(uint64_t address, bool make)
{
    uint64_t number = address >> OBJECTS_REGION_BITS;

    for (unsigned i = 0; i < OBJECTS_REGIONS; i++) {
        struct objects_region *region = &objects_regions[(number + i) % OBJECTS_REGIONS];
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

/* The address of the word that has this byte. */
static uint64_t word_start(uint64_t address)
{
    return address & ~(uint64_t)(OBJECTS_WORD - 1);
}

/* The number of that word in its region. */
static uint64_t word_of(uint64_t address)
{
    return address % OBJECTS_REGION / OBJECTS_WORD;
}

static void set_state(uint64_t address, uint8_t state)
{
    struct objects_region *region = region_of(address, false);

    if (region)
        __atomic_store_n(&region->states[word_of(address)], state, __ATOMIC_RELAXED);
}

/* Sets the words of a range; the last one keeps how many of its bytes are an object's. */
static void set_range(uint64_t start, uint64_t size, uint8_t state)
{
    uint64_t end = start + size, at = word_start(start);

    while (at < end) {
        uint64_t next = (at | (OBJECTS_REGION - 1)) + 1, until = end < next ? end : next;
        struct objects_region *region = region_of(at, false);

        if (region)
            memset(region->states + word_of(at), state,
                   (until - at + OBJECTS_WORD - 1) / OBJECTS_WORD);
        at = until;
    }
    if (state == OBJECTS_LIVE && end % OBJECTS_WORD)
        set_state(end, (uint8_t)(end % OBJECTS_WORD));
}

static void set_start(uint64_t address, bool starts)
{
    struct objects_region *region = region_of(address, starts);
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
static uint64_t start_in(const struct objects_region *region, uint64_t least, uint64_t address)
{
    uint64_t base = address & ~(OBJECTS_REGION - 1), word = word_of(address), at = word / BITS;
    uint64_t first = least > base ? word_of(least) : 0;
    uint64_t bits = region->starts[at] & (UINT64_MAX >> (BITS - 1 - word % BITS));

    while (!bits && at > first / BITS)
        bits = region->starts[--at];
    if (!bits)
        return UINT64_MAX;
    word = at * BITS + (BITS - 1 - (uint64_t)__builtin_clzll(bits));
    return word < first ? UINT64_MAX : base + word * OBJECTS_WORD;
}

/* The same in all regions. */
static uint64_t start_between(uint64_t least, uint64_t address)
{
    const struct objects_region *region;
    uint64_t start = UINT64_MAX, base = address & ~(OBJECTS_REGION - 1);

    for (; start == UINT64_MAX && address >= least; address = base - 1) {
        base = address & ~(OBJECTS_REGION - 1);
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
    for (uint64_t at = from; at < until; at += OBJECTS_WORD)
        if (objects_state(at) == OBJECTS_NOT_HEAP)
            set_state(at, OBJECTS_NEAR);
}

/*
 * The allocator's memory around an object, but only in its pages, or the guard: the next ones may
 * be others', as may be what is beyond the limits.
 */
static void mark_around(const struct object *object)
{
    uint64_t first = word_start(object->start), last = object->start + object->size;
    uint64_t page = first & ~(uint64_t)(PAGE - 1), next = (last + PAGE - 1) & ~(uint64_t)(PAGE - 1);
    uint64_t end = word_start(last + OBJECTS_WORD - 1), from, until;

    objects_limits(object->start, &from, &until);
    from = most(word_start(from + OBJECTS_WORD - 1), page);
    mark_near(most(from, first - least(first, OBJECTS_BESIDE)), first);
    next = most(least(next, end + OBJECTS_BESIDE), last + object->guard);
    mark_near(end, least(next, word_start(until)));
}

/* --- Objects by address --- */

static uint32_t *bucket_of(uint64_t word)
{
    return &buckets[(word * 0x9e3779b97f4a7c15u >> 32) % bucket_count];
}

/* Each bucket has two objects or fewer, on average. */
static void spread(void)
{
    uint32_t more = 2 * bucket_count, before = bucket_count;
    uint32_t *old = buckets, *wider = calloc(more, sizeof(*wider));

    if (!wider)
        return;
    buckets = wider;
    bucket_count = more;
    for (uint32_t i = 0; i < before; i++)
        for (uint32_t number = old[i], next; number != NONE; number = next) {
            uint32_t *bucket = bucket_of(word_start(objects[number].start));

            next = objects[number].next;
            objects[number].next = *bucket;
            *bucket = number;
        }
    free(old);
}

struct object *objects_at(uint64_t address)
{
    uint32_t number = *bucket_of(word_start(address));

    while (number != NONE && objects[number].start != address)
        number = objects[number].next;
    return number == NONE ? NULL : &objects[number];
}

/* Returns the last object that begins in the words from `least` to the address; NULL: none does. */
static struct object *object_between(uint64_t least, uint64_t address)
{
    uint64_t word = start_between(word_start(least), address);
    struct object *object = word == UINT64_MAX ? NULL : objects_at(word);

    assert(object || word == UINT64_MAX); /* each bit of `starts` has an object */
    return object;
}

/* The same, of those that may reach to the address, or to `more` bytes before it. */
static struct object *object_before(uint64_t address, uint64_t more)
{
    uint64_t reach = largest + more;

    return object_between(address > reach ? address - reach : 0, address);
}

struct object *objects_with(uint64_t address)
{
    struct object *object = object_before(address, 0);

    return object && address >= object->start && address - object->start < object->size ? object
                                                                                        : NULL;
}

struct object *objects_near(uint64_t address)
{
    uint64_t reach = OBJECTS_BESIDE + OBJECTS_WORD;
    struct object *before = object_before(address, reach), *after, *next = NULL;

    for (uint64_t at = address + reach; (after = object_between(address + 1, at)) != NULL;
         at = word_start(after->start) - 1) {
        if (after->start > address)
            next = after;
        if (word_start(after->start) <= address)
            break;
    }
    if (before && address >= before->start + before->size + reach)
        before = NULL;
    if (!before || !next)
        return before ? before : next;
    if (before->live != next->live)
        return before->live ? before : next;
    return address - (before->start + before->size) <= next->start - address ? before : next;
}

/* --- Allocations and frees --- */

static bool is_aligned(const struct object *object)
{
    return object->start % OBJECTS_WORD == 0;
}

static void remove_object(struct object *object)
{
    uint32_t number = (uint32_t)(object - objects), *link = bucket_of(word_start(object->start));

    while (*link != number) {
        assert(*link != NONE);
        link = &objects[*link].next;
    }
    *link = object->next;
    if (is_aligned(object))
        set_start(object->start, false);
    object->size = 0;
    object->live = object->held = object->moves = false;
    object->next = spare;
    spare = number;
    known--;
}

/* Objects that begin in these words are gone; live ones were freed unseen. */
static void remove_range(uint64_t start, uint64_t size)
{
    uint64_t first = word_start(start), last = start + (size ? size - 1 : 0);

    for (struct object *object; (object = object_between(first, last)) != NULL;) {
        if (object->live) {
            objects_overwritten(object);
            set_range(object->start, object->size, OBJECTS_NOT_HEAP);
        }
        remove_object(object);
    }
}

static struct object *new_object(void)
{
    uint32_t number = spare;

    if (number != NONE) {
        spare = objects[number].next;
        return &objects[number];
    }
    if (used == room) {
        struct object *more = realloc(objects, 2 * (size_t)room * sizeof(*objects));

        if (!more)
            return NULL;
        objects = more;
        room *= 2;
    }
    return &objects[used++];
}

/* Words that an object shares with another, or may: accesses to them are not judged. */
static void open_words(uint64_t start, uint64_t size)
{
    for (uint64_t at = word_start(start); at < start + size; at += OBJECTS_WORD)
        set_state(at, OBJECTS_OPEN);
}

static void mark_added(const struct object *object)
{
    uint64_t end = object->start + object->size;

    if (!is_aligned(object)) {
        open_words(object->start, object->size);
        return;
    }
    set_start(object->start, true);
    largest = object->size > largest ? object->size : largest;
    if (object->size == 0)
        return;
    if (end % OBJECTS_WORD && objects_state(end) == OBJECTS_OPEN) {
        set_range(object->start, word_start(object->size), OBJECTS_LIVE);
        return;
    }
    set_range(object->start, object->size, OBJECTS_LIVE);
    mark_around(object);
}

bool objects_add(const struct object *object)
{
    struct object *added = objects_at(object->start);
    uint32_t *bucket;

    if (object->start + object->size < object->start)
        return false;
    if (added && !is_aligned(added)) {
        if (added->live)
            objects_overwritten(added);
        remove_object(added);
    }
    if (is_aligned(object))
        remove_range(object->start, object->size + object->guard);
    if (!region_of(object->start, true) || !region_of(object->start + object->size, true) ||
        !(added = new_object()))
        return false;
    if (known >= 2 * bucket_count)
        spread();
    *added = *object;
    added->live = true;
    bucket = bucket_of(word_start(added->start));
    added->next = *bucket;
    *bucket = (uint32_t)(added - objects);
    known++;
    mark_added(added);
    return true;
}

void objects_free(struct object *object, struct touch by)
{
    uint64_t end = object->start + object->size, whole = object->size;

    assert(object->live);
    object->live = false;
    object->freed = by;
    if (!is_aligned(object))
        return;
    if (end % OBJECTS_WORD && objects_state(end) == OBJECTS_OPEN)
        whole = word_start(whole);
    set_range(object->start, whole, OBJECTS_FREED);
}

void objects_replace(struct object *object)
{
    assert(object->live);
    object->live = false;
    if (is_aligned(object) && object->size > 0)
        set_range(object->start, object->size, OBJECTS_NOT_HEAP);
}

void objects_forget(uint64_t start, uint64_t size)
{
    remove_range(start, size);
    if (size > 0)
        set_range(start, size, OBJECTS_NOT_HEAP);
}

/* Readers without a lock see the words change, not the regions go. */
void objects_reset(void)
{
    for (unsigned i = 0; i < OBJECTS_REGIONS; i++) {
        if (!objects_regions[i].states)
            continue;
        madvise(objects_regions[i].states, WORDS + QUICK, MADV_DONTNEED);
        madvise(objects_regions[i].starts, WORDS / BITS * sizeof(uint64_t), MADV_DONTNEED);
    }
    memset(buckets, 0, bucket_count * sizeof(*buckets));
    used = NONE + 1;
    spare = NONE;
    known = 0;
}

void objects_each(void (*take)(const struct object *object))
{
    for (uint32_t number = NONE + 1; number < used; number++)
        if (objects[number].live)
            take(&objects[number]);
}
