/* SPDX-License-Identifier: BSD-2-Clause */
/* See objects.h. */
#include "outside/plugin/objects.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define NONE       0u /* no object: numbers begin at 1 */
#define FIRST_ROOM 4096u
#define BUCKETS    4096u /* at first */

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
            uint32_t *bucket = bucket_of(heap_word_start(objects[number].start));

            next = objects[number].next;
            objects[number].next = *bucket;
            *bucket = number;
        }
    free(old);
}

struct object *objects_at(uint64_t address)
{
    uint32_t number = *bucket_of(heap_word_start(address));

    while (number != NONE && objects[number].start != address)
        number = objects[number].next;
    return number == NONE ? NULL : &objects[number];
}

/* Returns the last object that begins in the words from `least` to the address; NULL: none does. */
static struct object *object_between(uint64_t least, uint64_t address)
{
    uint64_t word = heap_words_last_start(heap_word_start(least), address);
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
    uint64_t reach = HEAP_BESIDE + HEAP_WORD;
    struct object *before = object_before(address, reach), *after, *next = NULL;

    for (uint64_t at = address + reach; (after = object_between(address + 1, at)) != NULL;
         at = heap_word_start(after->start) - 1) {
        if (after->start > address)
            next = after;
        if (heap_word_start(after->start) <= address)
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
    return object->start % HEAP_WORD == 0;
}

static void remove_object(struct object *object)
{
    uint32_t number = (uint32_t)(object - objects),
             *link = bucket_of(heap_word_start(object->start));

    while (*link != number) {
        assert(*link != NONE);
        link = &objects[*link].next;
    }
    *link = object->next;
    if (is_aligned(object))
        heap_words_set_start(object->start, false);
    object->size = 0;
    object->live = object->held = object->moves = false;
    object->next = spare;
    spare = number;
    known--;
}

/* Objects that begin in these words are gone; live ones were freed unseen. */
static void remove_range(uint64_t start, uint64_t size)
{
    uint64_t first = heap_word_start(start), last = start + (size ? size - 1 : 0);

    for (struct object *object; (object = object_between(first, last)) != NULL;) {
        if (object->live) {
            objects_overwritten(object);
            heap_words_set(object->start, object->size, HEAP_WORD_OTHER);
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

static void mark_beside(const struct object *object)
{
    uint64_t from, until;

    objects_limits(object->start, &from, &until);
    heap_words_set_beside(object->start, object->start + object->size, object->guard, from, until);
}

static void mark_added(const struct object *object)
{
    uint64_t end = object->start + object->size;

    if (!is_aligned(object)) {
        heap_words_open(object->start, object->size);
        return;
    }
    heap_words_set_start(object->start, true);
    largest = object->size > largest ? object->size : largest;
    if (object->size == 0)
        return;
    if (end % HEAP_WORD && heap_words_state(end) == HEAP_WORD_OPEN) {
        heap_words_set(object->start, heap_word_start(object->size), HEAP_WORD_LIVE);
        return;
    }
    heap_words_set(object->start, object->size, HEAP_WORD_LIVE);
    mark_beside(object);
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
    if (!heap_words_make(object->start) || !heap_words_make(object->start + object->size) ||
        !(added = new_object()))
        return false;
    if (known >= 2 * bucket_count)
        spread();
    *added = *object;
    added->live = true;
    bucket = bucket_of(heap_word_start(added->start));
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
    if (end % HEAP_WORD && heap_words_state(end) == HEAP_WORD_OPEN)
        whole = heap_word_start(whole);
    heap_words_set(object->start, whole, HEAP_WORD_FREED);
}

void objects_replace(struct object *object)
{
    assert(object->live);
    object->live = false;
    if (is_aligned(object) && object->size > 0)
        heap_words_set(object->start, object->size, HEAP_WORD_OTHER);
}

void objects_forget(uint64_t start, uint64_t size)
{
    remove_range(start, size);
    if (size > 0)
        heap_words_set(start, size, HEAP_WORD_OTHER);
}

void objects_reset(void)
{
    heap_words_reset();
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
