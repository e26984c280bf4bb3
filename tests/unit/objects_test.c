/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The heap's objects (outside/plugin/objects.h) against a model with a number for each byte: after
 * random allocations, frees and reuses, each byte is live, freed or beside an object as in the
 * model, and each object is found by its bytes.
 *
 * links: outside/plugin/objects.c outside/plugin/heap_words.c
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "outside/plugin/objects.h"

#define FIRST (UINT64_C(0xffff800040000000) - 4096) /* spans two regions */
#define BYTES 8192u
#define WORDS (BYTES / HEAP_WORD)
#define MOST  200u
#define TURNS 20000

/* A heap other than that of the first test, in its own region. */
#define OTHER (UINT64_C(7) << HEAP_REGION_BITS)

/*
 * The model: for each byte the object that was there last, unless its first word has been reused.
 */
static struct {
    uint64_t start, size;
    bool live, known;
} models[TURNS];
static unsigned model_count;
static unsigned live_count, overwritten;

void objects_overwritten(const struct object *object)
{
    assert_true(object->live);
    overwritten++;
}

/* A variable that contains objects, within a page. */
#define VARIABLE (OTHER + 0xe100)

void objects_limits(uint64_t address, uint64_t *from, uint64_t *until)
{
    bool within = address >= VARIABLE && address < VARIABLE + 64;

    *from = within ? VARIABLE : 0;
    *until = within ? VARIABLE + 64 : UINT64_MAX;
}

static uint64_t word_of(uint64_t address)
{
    return address & ~(uint64_t)(HEAP_WORD - 1);
}

/* Forgets the objects that begin in these words. Returns how many were live. */
static unsigned forget(uint64_t start, uint64_t size)
{
    uint64_t last = start + (size ? size - 1 : 0);
    unsigned live = 0;

    for (unsigned i = 0; i < model_count; i++) {
        if (!models[i].known || word_of(models[i].start) < word_of(start) ||
            word_of(models[i].start) > word_of(last))
            continue;
        live += models[i].live;
        models[i].known = false;
    }
    return live;
}

static bool overlaps_live(uint64_t start, uint64_t size)
{
    for (unsigned i = 0; i < model_count; i++)
        if (models[i].known && models[i].live &&
            start <= word_of(models[i].start) + models[i].size + 7 &&
            word_of(models[i].start) <= start + size + 7)
            return true;
    return false;
}

static void allocate(void)
{
    uint64_t size = 1 + (uint64_t)rand() % MOST;
    uint64_t start = FIRST + 8 * ((uint64_t)rand() % (WORDS - MOST / 8 - 1));
    struct object object = {.start = start, .size = size, .allocated = {.time = 1}};

    if (overlaps_live(start, size))
        return;
    assert_int_equal(forget(start, size), 0);
    assert_true(objects_add(&object));
    models[model_count].start = start;
    models[model_count].size = size;
    models[model_count].live = models[model_count].known = true;
    model_count++;
    live_count++;
}

static void free_one(void)
{
    unsigned i = (unsigned)rand() % model_count;
    struct object *object;

    if (!models[i].live || !models[i].known)
        return;
    object = objects_at(models[i].start);
    assert_non_null(object);
    assert_int_equal(object->size, models[i].size);
    assert_true(object->live);
    objects_free(object, (struct touch){.time = 2});
    models[i].live = false;
    live_count--;
}

static unsigned counted;

static void count(const struct object *object)
{
    assert_true(object->live);
    counted++;
}

/* Each byte of a live object is good; a byte of a freed one is not, unless it was reused. */
static void check(void)
{
    for (unsigned i = 0; i < model_count; i++) {
        uint64_t start = models[i].start, size = models[i].size;
        struct object *object;

        if (!models[i].known)
            continue;
        object = objects_with(start);
        assert_non_null(object);
        assert_int_equal(object->start, start);
        assert_int_equal(object->live, models[i].live);
        if (!models[i].live) {
            assert_false(heap_words_are_good(start, 1));
            continue;
        }
        for (uint64_t at = start; at < start + size; at++) {
            assert_true(heap_words_are_good(at, 1));
            assert_ptr_equal(objects_with(at), object);
        }
        assert_true(heap_words_are_good(start, (unsigned)size));
        if (size % HEAP_WORD)
            assert_false(heap_words_are_good(start + size, 1));
    }
    counted = 0;
    objects_each(count);
    assert_int_equal(counted, live_count);
}

static void random_operations(void **state)
{
    (void)state;
    srand(1);
    for (int turn = 0; turn < TURNS && model_count < TURNS; turn++) {
        if (rand() % 2 || model_count == 0)
            allocate();
        else
            free_one();
        if (turn % 500 == 0)
            check();
    }
    check();
    assert_int_equal(overwritten, 0);
}

static struct object *add(uint64_t start, uint64_t size)
{
    struct object object = {.start = start, .size = size, .allocated = {.time = 1}};

    assert_true(objects_add(&object));
    return objects_at(start);
}

static void what_is_beside(void **state)
{
    struct object *object = add(OTHER + 0x100, 24), *second;

    (void)state;
    assert_true(heap_words_are_good(OTHER + 0x100, 24));
    assert_false(heap_words_are_good(OTHER + 0x118, 1));
    assert_false(heap_words_are_good(OTHER + 0xff, 1));
    assert_false(heap_words_are_good(OTHER + 0x114, 8));
    assert_true(heap_words_are_good(OTHER + 0x118 + HEAP_BESIDE, 8));
    assert_ptr_equal(objects_near(OTHER + 0x118), object);
    assert_ptr_equal(objects_near(OTHER + 0xf8), object);
    assert_null(objects_with(OTHER + 0x118));
    assert_null(objects_near(OTHER + 0x180));
    /* The nearer one of two; of a live and a freed one, the live one. */
    second = add(OTHER + 0x130, 16);
    assert_ptr_equal(objects_near(OTHER + 0x128), second);
    assert_ptr_equal(objects_near(OTHER + 0x118), objects_at(OTHER + 0x100));
    objects_free(objects_at(OTHER + 0x100), (struct touch){.time = 2});
    assert_ptr_equal(objects_near(OTHER + 0x118), objects_at(OTHER + 0x130));
}

static void pages_end(void **state)
{
    (void)state;
    add(OTHER + 0x2000, 0x1000);
    assert_true(heap_words_are_good(OTHER + 0x3000, 8));
    assert_true(heap_words_are_good(OTHER + 0x1ff8, 8));
    add(OTHER + 0x4ff0, 16);
    assert_true(heap_words_are_good(OTHER + 0x5000, 8));
    assert_false(heap_words_are_good(OTHER + 0x4fe8, 8));
}

static void reuse(void **state)
{
    unsigned before = overwritten;
    struct object *object = add(OTHER + 0x6000, 128);

    (void)state;
    objects_free(object, (struct touch){.time = 2});
    assert_false(heap_words_are_good(OTHER + 0x6040, 8));
    add(OTHER + 0x6040, 32); /* in the freed one, which is still known */
    assert_true(heap_words_are_good(OTHER + 0x6040, 32));
    assert_int_equal(objects_with(OTHER + 0x6000)->size, 128);
    objects_forget(OTHER + 0x6000, 128); /* ... and with a live one inside, freed unseen */
    assert_int_equal(overwritten, before + 1);
    assert_null(objects_with(OTHER + 0x6000));
    assert_true(heap_words_are_good(OTHER + 0x6000, 128));
    assert_true(heap_words_are_plain(OTHER + 0x6000));
}

/* Adjacent objects of 12 bytes: every other one begins within a word. */
static void within_words(void **state)
{
    struct object *second;

    (void)state;
    add(OTHER + 0xa000, 12);
    second = add(OTHER + 0xa00c, 12);
    add(OTHER + 0xa018, 12);
    assert_true(heap_words_are_good(OTHER + 0xa000, 36));
    assert_int_equal(objects_at(OTHER + 0xa000)->size, 12);
    objects_free(objects_at(OTHER + 0xa000), (struct touch){.time = 2});
    assert_false(heap_words_are_good(OTHER + 0xa000, 8));
    assert_true(heap_words_are_good(OTHER + 0xa00c, 12));
    objects_free(second, (struct touch){.time = 2});
    assert_true(heap_words_are_good(OTHER + 0xa018, 12));
    assert_true(add(OTHER + 0xa00c, 12)->live);
    assert_int_equal(objects_at(OTHER + 0xa018)->size, 12);
}

/* The guard extends past an object, beyond the page's end and over a freed one. */
static void guards(void **state)
{
    struct object object = {.start = OTHER + 0xbff0, .size = 12, .guard = 20};

    (void)state;
    objects_free(add(OTHER + 0xc000, 64), (struct touch){.time = 2});
    assert_true(objects_add(&object));
    assert_int_equal(objects_at(OTHER + 0xbff0)->guard, 20);
    assert_true(heap_words_are_good(OTHER + 0xbff0, 12));
    for (uint64_t at = OTHER + 0xbffc; at < OTHER + 0xc010; at++)
        assert_false(heap_words_are_good(at, 1));
    assert_null(objects_with(OTHER + 0xc000));
    assert_ptr_equal(objects_near(OTHER + 0xc00f), objects_at(OTHER + 0xbff0));
    add(OTHER + 0xc010, 16); /* touches the guard */
    assert_true(heap_words_are_good(OTHER + 0xc010, 16));
    assert_false(heap_words_are_good(OTHER + 0xc008, 8));
}

/* Other variables are next to the one that contains a heap. */
static void limits(void **state)
{
    (void)state;
    add(VARIABLE, 16);
    add(VARIABLE + 40, 16);
    assert_true(heap_words_are_good(VARIABLE - 1, 1));
    assert_false(heap_words_are_good(VARIABLE + 16, 1));
    assert_false(heap_words_are_good(VARIABLE + 39, 1));
    assert_false(heap_words_are_good(VARIABLE + 63, 1));
    assert_true(heap_words_are_good(VARIABLE + 64, 1));
}

static void reset(void **state)
{
    (void)state;
    add(OTHER + 0x8000, 64);
    objects_reset();
    counted = 0;
    objects_each(count);
    assert_int_equal(counted, 0);
    assert_null(objects_with(OTHER + 0x8000));
    assert_true(heap_words_are_good(OTHER + 0x8000, 128));
    add(OTHER + 0x8000, 64);
    assert_int_equal(objects_with(OTHER + 0x803f)->start, OTHER + 0x8000);
    assert_false(heap_words_are_good(OTHER + 0x8040, 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_operations),
        cmocka_unit_test(what_is_beside),
        cmocka_unit_test(pages_end),
        cmocka_unit_test(reuse),
        cmocka_unit_test(within_words),
        cmocka_unit_test(guards),
        cmocka_unit_test(limits),
        cmocka_unit_test(reset),
    };

    if (!objects_begin())
        return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
