/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The last boot's recording, found by the next one: an intact recording is found complete; in one
 * that was overwritten at random, the reader refuses or leaves out what cannot be true, and reads
 * nothing outside of it (AddressSanitizer).
 *
 * links: tests/unit/fake_arch.c core/unwind/default_fp.c tests/unit/no_symbols.c tests/unit/fake_preempt.c
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "arch/cpu.h"
#include "core/host.h"
#include "core/recording/kept.h"
#include "core/ring/ring.h"
#include "core/sample/sample.h"
#include "tests/unit/fake_arch.h"

#define CPUS  3
#define SIZE  4096u
#define ID    77
#define TURNS 20000

struct record {
    struct perf_event_header header;
    uint64_t id, ip;
    uint32_t pid, tid;
    uint64_t time, addr;
    uint32_t cpu, reserved;
};

static _Alignas(4096) uint8_t memory[CPUS * SIZE];
static struct ring rings[ARCH_CPUS_MAX];
static struct event event;
static size_t memory_size;
static void *copy;
static char said[512];
static size_t said_length;

static void say(struct sink *sink, const char *bytes, size_t length)
{
    (void)sink;
    if (length < sizeof(said) - said_length) {
        memcpy(said + said_length, bytes, length);
        said_length += length;
    }
    said[said_length] = '\0';
}

static struct sink console = {.write = say};

/* Each gets its own block, so that reads outside of it are detected. */
static void *take(unsigned long bytes, const char **why)
{
    (void)why;
    free(copy);
    copy = calloc(1, bytes);
    return copy;
}

static void *keep(unsigned long *bytes)
{
    *bytes = memory_size;
    return memory_size ? memory : NULL;
}

/* A boot that records so many samples on each CPU, in new rings. */
static void record(unsigned samples)
{
    struct event_spec spec;

    memset(&spec, 0, sizeof(spec));
    event.recorded.id = ID;
    event.recorded.attr.sample_type = SAMPLE_ALWAYS;
    memset(rings, 0, sizeof(rings));
    for (unsigned cpu = 0; cpu < CPUS; cpu++)
        assert_int_equal(
            ring_init(&rings[cpu], memory + cpu * SIZE, SIZE, RING_OVERWRITE, false, NULL), 0);
    kept_hold(rings, CPUS, &event, 1);
    for (unsigned i = 0; i < samples * CPUS; i++) {
        struct record sample = {.header = {PERF_RECORD_SAMPLE, 0, sizeof(sample)}, .id = ID};

        fake_arch.clock++;
        ring_output(&rings[i % CPUS], &sample, sizeof(sample), &sample.time);
    }
}

/* The next boot. */
static const char *boot(void)
{
    said_length = 0;
    said[0] = '\0';
    last_find(rings);
    for (unsigned cpu = 0; cpu < ARCH_CPUS_MAX; cpu++)
        assert_null(rings[cpu].bytes);
    return said;
}

static int setup(void **state)
{
    fake_arch_reset(state);
    host.memory_take = take;
    host.memory_kept = keep;
    memory_size = sizeof(memory);
    print_set_console(&console);
    return 0;
}

static unsigned count(void)
{
    struct record_source *source = last_source();
    const struct perf_event_header *found;
    unsigned samples = 0;

    while (source && (found = source->next(source))) {
        assert_true(found->size <= SAMPLE_SIZE_MAX);
        samples++;
        if (found->type == PERF_RECORD_SAMPLE)
            assert_int_equal(((const struct record *)found)->id, ID);
    }
    last_hide();
    return samples;
}

static void is_found_whole(void **state)
{
    (void)state;
    record(20);
    pitot_boot_ends("a test");
    assert_string_equal(boot(),
                        "Pitot: the last boot's recording is here: 60 samples, ended by a test\n");
    assert_int_equal(count(), 60);
    assert_int_equal(count(), 60); /* from the start again */
    record(1000);                  /* wraps around the end */
    assert_non_null(strstr(boot(), "is here: "));
    assert_int_equal(count(), CPUS * (SIZE / sizeof(struct record)));
}

/* The longest possible reason of a panic. */
static void its_end_is_told_whole(void **state)
{
    char reason[330], line[420];

    (void)state;
    for (size_t i = 0; i < sizeof(reason) - 1; i++)
        reason[i] = i % 8 == 7 ? ' ' : 'r';
    reason[sizeof(reason) - 1] = '\0';
    record(20);
    pitot_boot_ends(reason);
    snprintf(line, sizeof(line), "60 samples, ended by %s\n", reason);
    assert_non_null(strstr(boot(), line));
}

static void says_nothing_of_nothing(void **state)
{
    (void)state;
    record(20);
    kept_drop();
    assert_string_equal(boot(), "");
    assert_int_equal(count(), 0);
    assert_non_null(strstr(last_missing(), "the machine was switched on"));
    record(20);
    memory_size = 0;
    assert_string_equal(boot(), "");
    assert_non_null(strstr(last_missing(), "this machine has no memory"));
}

/* It is read once: if the next boot records nothing, the one after it finds nothing. */
static void is_forgotten(void **state)
{
    (void)state;
    record(20);
    boot();
    assert_string_equal(boot(), "");
    assert_int_equal(count(), 0);
}

static void is_refused(void **state)
{
    (void)state;
    record(20);
    kept.head.event_count++;
    assert_non_null(strstr(boot(), "not here: its description was overwritten\n"));
    record(20);
    kept.events[0].id++;
    assert_non_null(strstr(boot(), "not here: the description of its 1 event was overwritten\n"));
    record(20);
    kept.head.build_id[0]++;
    kept.head.crc = kept_head_crc(&kept.head);
    assert_non_null(strstr(boot(), "not here: it is of another build"));
    record(20);
    kept.head.ring_count = UINT32_MAX;
    kept.head.crc = kept_head_crc(&kept.head);
    assert_non_null(strstr(boot(), "not here: its description has impossible values\n"));
    record(20);
    memory_size -= SIZE;
    assert_non_null(strstr(boot(), "not here: the machine had other memory"));
    memory_size = sizeof(memory);
    record(20);
    kept.head.ring_size = 24;
    kept.head.crc = kept_head_crc(&kept.head);
    assert_non_null(strstr(boot(), "0 samples"));
    assert_non_null(strstr(said, "without 72 bytes"));
}

static void spoil(void *at, size_t size, unsigned times)
{
    while (times-- > 0)
        ((uint8_t *)at)[(size_t)rand() % size] = (uint8_t)rand();
}

static void survives_any_bytes(void **state)
{
    (void)state;
    srand(1);
    for (unsigned turn = 0; turn < TURNS; turn++) {
        record((unsigned)rand() % 100);
        if (turn % 4 == 0)
            spoil(&kept.head, sizeof(kept.head), 3);
        else if (turn % 4 == 1)
            spoil(rings, CPUS * sizeof(rings[0]), 1 + (unsigned)rand() % 8);
        spoil(memory, sizeof(memory), (unsigned)rand() % 50);
        if (turn % 8 == 0) {
            kept.head.magic = KEPT_MAGIC;
            kept.head.version = KEPT_VERSION;
            kept.head.crc = kept_head_crc(&kept.head);
        }
        boot();
        assert_true(count() <= CPUS * (SIZE / sizeof(struct record)));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(is_found_whole, setup),
        cmocka_unit_test_setup(its_end_is_told_whole, setup),
        cmocka_unit_test_setup(says_nothing_of_nothing, setup),
        cmocka_unit_test_setup(is_forgotten, setup),
        cmocka_unit_test_setup(is_refused, setup),
        cmocka_unit_test_setup(survives_any_bytes, setup),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
