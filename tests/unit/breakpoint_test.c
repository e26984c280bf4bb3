/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The arbiter of debug registers: what it refuses and why, who shares what, in which order the
 * registers are filled, and that both kinds of machine, those that report every watch that an
 * access matches and those that report the lowest only, count the same wherever that is possible.
 * docs/breakpoints.md says where it is not.
 *
 * links: tests/unit/fake_arch.c
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/breakpoint.h"
#include "tests/unit/fake_arch.h"

#define PLACE  0xffffffff80200000ull
#define OWNERS 24

struct owner {
    struct breakpoint breakpoint;
    bool installed;
    unsigned hits;
    uintptr_t address; /* of the last hit */
};

static struct owner owners[OWNERS];
static struct refusal why;

static void owner_hit(struct breakpoint *breakpoint, uintptr_t address, struct regs *regs)
{
    struct owner *owner = (struct owner *)breakpoint;

    assert_null(regs);
    assert_false(fake_arch.armed);
    owner->hits++;
    owner->address = address;
}

static int install(unsigned i, uintptr_t address, size_t length, enum arch_access access)
{
    struct owner *owner = &owners[i];
    int error;

    assert_false(owner->installed);
    *owner = (struct owner){
        .breakpoint = {.address = address, .length = length, .access = access, .hit = owner_hit}};
    print_into(owner->breakpoint.owner, sizeof(owner->breakpoint.owner), "owner %u", i);
    memset(&why, 0, sizeof(why));
    error = breakpoint_install(&owner->breakpoint, &why);
    owner->installed = error == 0;
    return error;
}

static void uninstall(unsigned i)
{
    if (owners[i].installed)
        breakpoint_remove(&owners[i].breakpoint);
    owners[i].installed = false;
}

static void uninstall_all(void)
{
    for (unsigned i = 0; i < OWNERS; i++)
        uninstall(i);
}

/* Each test begins with four free registers, all memory mapped and no access observed. */
static int setup(void **state)
{
    uninstall_all();
    fake_arch_reset(state);
    breakpoint_init();
    assert_int_equal(breakpoint_used(), 0);
    return 0;
}

/* Refused with this error, for this reason, and without a trace. */
static void assert_refused(int result, int error, const char *reason)
{
    assert_int_equal(result, -error);
    if (!strstr(why.text, reason))
        fail_msg("\"%s\" does not say \"%s\"", why.text, reason);
    /* Whether registers are free can be asked with all CPUs parked only. */
    assert_string_equal(fake_arch.calls, error == ENOSPC ? "-+" : "");
    assert_int_equal(fake_arch.parked, 0);
    memset(fake_arch.calls, 0, sizeof(fake_arch.calls));
}

static void assert_watch(unsigned i, uintptr_t address, unsigned length, enum arch_access access)
{
    assert_true(i < fake_arch.watch_count);
    assert_int_equal(fake_arch.watches[i].address, address);
    assert_int_equal(fake_arch.watches[i].length, length);
    assert_int_equal(fake_arch.watches[i].access, access);
}

static void a_cpu_that_does_not_answer_is_a_reason_to_refuse(void **state)
{
    (void)state;
    fake_arch.park_absent = true;
    assert_refused(install(0, PLACE, 8, ARCH_WRITE), ETIMEDOUT, "CPU 1 does not answer");
    assert_int_equal(breakpoint_used(), 0);
    fake_arch.park_absent = false;
    assert_int_equal(install(0, PLACE, 8, ARCH_WRITE), 0);
}

static void lengths_that_no_registers_hold_are_refused(void **state)
{
    (void)state;
    assert_refused(install(0, PLACE, 0, ARCH_WRITE), EINVAL, "length 0: 1 to 32 bytes");
    assert_refused(install(0, PLACE, 33, ARCH_WRITE), EINVAL, "length 33: 1 to 32 bytes");
    assert_refused(install(0, PLACE, SIZE_MAX, ARCH_WRITE), EINVAL, "1 to 32 bytes");
    assert_refused(install(0, PLACE, 2, ARCH_EXECUTE), EINVAL, "execute breakpoint has length 1");
    assert_refused(install(0, PLACE, 8, ARCH_EXECUTE), EINVAL, "execute breakpoint has length 1");
    assert_int_equal(breakpoint_used(), 0);
}

static void unaligned_addresses_are_refused_with_the_aligned_range(void **state)
{
    (void)state;
    assert_refused(install(0, PLACE + 1, 2, ARCH_WRITE), EINVAL, "0xffffffff80200000/2 is the one");
    assert_refused(install(0, PLACE + 6, 4, ARCH_WRITE), EINVAL, "0xffffffff80200004/4 is the one");
    for (unsigned offset = 1; offset < 8; offset++)
        assert_refused(install(0, PLACE + 8 + offset, 8, ARCH_READ_WRITE), EINVAL,
                       "not a multiple of 8");
    assert_int_equal(breakpoint_used(), 0);
}

static void addresses_that_are_not_canonical_are_refused(void **state)
{
    (void)state;
    assert_refused(install(0, 0x0000800000000000, 1, ARCH_WRITE), EINVAL, "not a canonical");
    assert_refused(install(0, 0xffff7fffffffffff, 1, ARCH_WRITE), EINVAL, "not a canonical");
    assert_refused(install(0, 0x00007ffffffffff8, 16, ARCH_WRITE), EINVAL, "not a canonical");
    assert_refused(install(0, 0xfffffffffffffff8, 16, ARCH_WRITE), EINVAL, "not a canonical");
    assert_int_equal(install(1, 0x00007ffffffffff8, 8, ARCH_WRITE), 0);
    assert_int_equal(install(2, 0xffff800000000000, 8, ARCH_WRITE), 0);
}

/* No kernel has anything there, and the end of such a range is address 0. */
static void the_last_bytes_of_memory_are_refused(void **state)
{
    (void)state;
    assert_refused(install(0, 0xfffffffffffffff8, 8, ARCH_WRITE), EINVAL, "not a canonical");
    assert_refused(install(0, 0xffffffffffffffff, 1, ARCH_WRITE), EINVAL, "not a canonical");
    assert_int_equal(install(0, 0xfffffffffffffff0, 8, ARCH_WRITE), 0);
}

static void what_is_not_mapped_is_refused(void **state)
{
    (void)state;
    fake_arch.unmapped = (struct fake_range){.start = PLACE + 16, .end = PLACE + 4096};
    assert_refused(install(0, PLACE + 16, 1, ARCH_WRITE), EFAULT, "not mapped");
    assert_refused(install(0, PLACE + 8, 12, ARCH_WRITE), EFAULT, "not mapped");
    assert_int_equal(install(0, PLACE + 8, 8, ARCH_WRITE), 0);
}

static void what_the_trap_itself_uses_is_refused_by_overlap(void **state)
{
    (void)state;
    fake_arch.forbidden = (struct fake_range){PLACE + 16, PLACE + 32, "the test's own area"};
    fake_arch.executable = (struct fake_range){.start = PLACE, .end = PLACE + 64};
    assert_refused(install(0, PLACE + 16, 1, ARCH_WRITE), EPERM, "overlaps the test's own area");
    assert_refused(install(0, PLACE + 31, 1, ARCH_EXECUTE), EPERM, "overlaps the test's own area");
    assert_refused(install(0, PLACE + 8, 9, ARCH_WRITE), EPERM, "overlaps the test's own area");
    assert_refused(install(0, PLACE + 4, 32, ARCH_WRITE), EPERM, "overlaps the test's own area");
    assert_int_equal(install(0, PLACE + 8, 8, ARCH_WRITE), 0);
    assert_int_equal(install(1, PLACE + 32, 8, ARCH_WRITE), 0);
}

static void execute_breakpoints_must_be_on_code(void **state)
{
    (void)state;
    fake_arch.executable = (struct fake_range){.start = PLACE, .end = PLACE + 16};
    assert_refused(install(0, PLACE + 16, 1, ARCH_EXECUTE), EINVAL, "not executable");
    assert_int_equal(install(0, PLACE + 15, 1, ARCH_EXECUTE), 0);
    assert_watch(0, PLACE + 15, 1, ARCH_EXECUTE);
}

static void a_fifth_watch_is_told_who_holds_the_four(void **state)
{
    (void)state;
    for (unsigned i = 0; i < ARCH_WATCHES; i++)
        assert_int_equal(install(i, PLACE + 8 * i, 8, ARCH_WRITE), 0);
    memset(fake_arch.calls, 0, sizeof(fake_arch.calls));
    assert_refused(install(4, PLACE + 64, 8, ARCH_WRITE), ENOSPC,
                   "1 debug register needed, 0 of 4 free; held by ");
    for (unsigned i = 0; i < ARCH_WATCHES; i++)
        assert_non_null(strstr(why.text, owners[i].breakpoint.owner));
    assert_int_equal(breakpoint_used(), 4);
}

static void a_range_that_needs_more_than_is_free_takes_nothing(void **state)
{
    (void)state;
    assert_int_equal(install(0, PLACE, 8, ARCH_WRITE), 0);
    assert_int_equal(install(1, PLACE + 8, 8, ARCH_WRITE), 0);
    memset(fake_arch.calls, 0, sizeof(fake_arch.calls));
    assert_refused(install(2, PLACE + 64, 24, ARCH_WRITE), ENOSPC,
                   "3 debug registers needed, 2 of 4 free; held by ");
    assert_refused(install(2, PLACE + 65, 32, ARCH_WRITE), ENOSPC, "7 debug registers needed");
    assert_int_equal(breakpoint_used(), 2);
    /* What is there already is not needed again. */
    assert_int_equal(install(2, PLACE, 32, ARCH_WRITE), 0);
    assert_int_equal(breakpoint_used(), 4);
}

static void a_register_takes_sixteen_owners(void **state)
{
    (void)state;
    for (unsigned i = 0; i < BREAKPOINT_OWNERS_MAX; i++)
        assert_int_equal(install(i, PLACE, 8, ARCH_WRITE), 0);
    memset(fake_arch.calls, 0, sizeof(fake_arch.calls));
    assert_refused(install(16, PLACE, 8, ARCH_WRITE), ENOSPC, "16 owners share");
    /* Its first part would fit, its second is full: neither is taken. */
    assert_refused(install(16, PLACE - 8, 16, ARCH_WRITE), ENOSPC, "16 owners share");
    assert_int_equal(breakpoint_used(), 1);
    fake_arch_access(PLACE, 1, ARCH_WRITE, FAKE_REPORT_ALL, NULL);
    for (unsigned i = 0; i < BREAKPOINT_OWNERS_MAX; i++)
        assert_int_equal(owners[i].hits, 1);
    assert_int_equal(owners[16].hits, 0);
}

static void a_refusal_changes_nothing_that_is_armed(void **state)
{
    struct arch_watch before[ARCH_WATCHES];

    (void)state;
    assert_int_equal(install(0, PLACE, 8, ARCH_WRITE), 0);
    assert_int_equal(install(1, PLACE + 8, 2, ARCH_READ_WRITE), 0);
    memcpy(before, fake_arch.watches, sizeof(before));
    memset(fake_arch.calls, 0, sizeof(fake_arch.calls));
    assert_refused(install(2, PLACE + 64, 0, ARCH_WRITE), EINVAL, "length 0");
    assert_refused(install(2, PLACE + 64, 24, ARCH_WRITE), ENOSPC, "3 debug registers");
    assert_int_equal(fake_arch.watch_count, 2);
    assert_memory_equal(before, fake_arch.watches, sizeof(before));
    fake_arch_access(PLACE + 64, 8, ARCH_WRITE, FAKE_REPORT_ALL, NULL);
    assert_int_equal(owners[2].hits, 0);
}

static void equal_watches_share_a_register_until_the_last_one_goes(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(install(i, PLACE, 4, ARCH_WRITE), 0);
    assert_int_equal(breakpoint_used(), 1);
    uninstall(1);
    assert_int_equal(breakpoint_used(), 1);
    fake_arch_access(PLACE, 4, ARCH_WRITE, FAKE_REPORT_ALL, NULL);
    assert_int_equal(owners[0].hits, 1);
    assert_int_equal(owners[1].hits, 0);
    assert_int_equal(owners[2].hits, 1);
    uninstall(0);
    assert_int_equal(breakpoint_used(), 1);
    uninstall(2);
    assert_int_equal(breakpoint_used(), 0);
    assert_int_equal(fake_arch.watch_count, 0);
}

/* Counted from 1: a count that starts at 0 is not 0 again when its only owner goes. */
static void one_owner_that_goes_frees_the_register(void **state)
{
    (void)state;
    for (unsigned round = 0; round < 2 * ARCH_WATCHES; round++) {
        assert_int_equal(install(0, PLACE + 8 * round, 8, ARCH_WRITE), 0);
        assert_int_equal(breakpoint_used(), 1);
        uninstall(0);
        assert_int_equal(breakpoint_used(), 0);
        assert_int_equal(fake_arch.watch_count, 0);
    }
}

/* ... and is 0 too early when the first of two goes. */
static void the_first_of_two_owners_to_go_leaves_the_other_armed(void **state)
{
    (void)state;
    for (unsigned first = 0; first < 2; first++) {
        assert_int_equal(install(0, PLACE, 4, ARCH_WRITE), 0);
        assert_int_equal(install(1, PLACE, 4, ARCH_WRITE), 0);
        uninstall(first);
        assert_watch(0, PLACE, 4, ARCH_WRITE);
        fake_arch_access(PLACE, 4, ARCH_WRITE, FAKE_REPORT_ALL, NULL);
        assert_int_equal(owners[first].hits, 0);
        assert_int_equal(owners[!first].hits, 1);
        uninstall(!first);
        assert_int_equal(breakpoint_used(), 0);
    }
}

static void install_the_same_as_1(void)
{
    assert_int_equal(install(1, PLACE, 4, ARCH_WRITE), 0);
}

static void take_the_last_two_registers_as_1(void)
{
    assert_int_equal(install(1, PLACE + 32, 16, ARCH_WRITE), 0);
}

static void uninstall_1(void)
{
    uninstall(1);
}

/* Who comes between is seen: the look-up and what follows from it are one step. */
static void nobody_comes_between_looking_a_register_up_and_taking_it(void **state)
{
    (void)state;
    fake_arch.on_park = install_the_same_as_1;
    assert_int_equal(install(0, PLACE, 4, ARCH_WRITE), 0);
    assert_int_equal(breakpoint_used(), 1);
    fake_arch_access(PLACE, 4, ARCH_WRITE, FAKE_REPORT_ALL, NULL);
    assert_int_equal(owners[0].hits, 1);
    assert_int_equal(owners[1].hits, 1);

    fake_arch.on_park = uninstall_1;
    uninstall(0);
    assert_int_equal(breakpoint_used(), 0);

    fake_arch.on_park = take_the_last_two_registers_as_1;
    assert_int_equal(install(0, PLACE, 24, ARCH_WRITE), -ENOSPC);
    assert_non_null(strstr(why.text, "3 debug registers needed, 2 of 4 free; held by owner 1"));
    assert_int_equal(breakpoint_used(), 2);
}

static void another_length_or_access_is_another_register(void **state)
{
    (void)state;
    assert_int_equal(install(0, PLACE, 4, ARCH_WRITE), 0);
    assert_int_equal(install(1, PLACE, 4, ARCH_READ_WRITE), 0);
    assert_int_equal(install(2, PLACE, 2, ARCH_WRITE), 0);
    assert_int_equal(install(3, PLACE + 4, 4, ARCH_WRITE), 0);
    assert_int_equal(breakpoint_used(), 4);
}

static void registers_are_filled_narrowest_first_and_write_before_read_write(void **state)
{
    (void)state;
    assert_int_equal(install(0, PLACE, 8, ARCH_READ_WRITE), 0);
    assert_int_equal(install(1, PLACE, 1, ARCH_READ_WRITE), 0);
    assert_int_equal(install(2, PLACE, 8, ARCH_WRITE), 0);
    assert_int_equal(install(3, PLACE, 2, ARCH_WRITE), 0);
    assert_watch(0, PLACE, 1, ARCH_READ_WRITE);
    assert_watch(1, PLACE, 2, ARCH_WRITE);
    assert_watch(2, PLACE, 8, ARCH_WRITE);
    assert_watch(3, PLACE, 8, ARCH_READ_WRITE);
    uninstall(3);
    assert_watch(1, PLACE, 8, ARCH_WRITE);
    assert_watch(2, PLACE, 8, ARCH_READ_WRITE);
}

static void nothing_can_hit_while_the_table_changes(void **state)
{
    (void)state;
    assert_int_equal(install(0, PLACE, 8, ARCH_WRITE), 0);
    assert_string_equal(fake_arch.calls, "-da+");
    assert_int_equal(install(1, PLACE, 8, ARCH_WRITE), 0);
    assert_string_equal(fake_arch.calls, "-da+-da+");
    uninstall(0);
    uninstall(1);
    assert_string_equal(fake_arch.calls, "-da+-da+-da+-da+");
}

static void the_parts_of_one_symbol_count_an_access_once(void **state)
{
    (void)state;
    assert_int_equal(install(0, PLACE, 24, ARCH_WRITE), 0);
    assert_int_equal(breakpoint_used(), 3);
    fake_arch_access(PLACE + 4, 16, ARCH_WRITE, FAKE_REPORT_ALL, NULL);
    assert_int_equal(owners[0].hits, 1);
    fake_arch_access(PLACE + 4, 16, ARCH_WRITE, FAKE_REPORT_LOWEST, NULL);
    assert_int_equal(owners[0].hits, 2);
    fake_arch_access(PLACE + 23, 1, ARCH_WRITE, FAKE_REPORT_ALL, NULL);
    assert_int_equal(owners[0].hits, 3);
    assert_int_equal(owners[0].address, PLACE + 16);
}

/*
 * The definition: aligned parts of 1, 2, 4 or 8 bytes that hold every byte of the range once, and
 * no other.
 */
static void assert_covers(uintptr_t address, size_t length)
{
    unsigned char covered[64] = {0};

    for (unsigned i = 0; i < fake_arch.watch_count; i++) {
        const struct arch_watch *watch = &fake_arch.watches[i];

        assert_true(watch->length == 1 || watch->length == 2 || watch->length == 4 ||
                    watch->length == 8);
        assert_int_equal(watch->address % watch->length, 0);
        for (unsigned byte = 0; byte < watch->length; byte++)
            covered[watch->address + byte - PLACE]++;
    }
    for (size_t i = 0; i < sizeof(covered); i++)
        assert_int_equal(covered[i], i >= address - PLACE && i < address - PLACE + length);
}

/* The fewest parts that the range falls into, by trying every first part. */
static unsigned fewest_parts(uintptr_t address, size_t length)
{
    unsigned fewest = 32;

    if (length == 0)
        return 0;
    for (unsigned part = 1; part <= 8 && part <= length; part *= 2) {
        if (address % part == 0) {
            unsigned parts = 1 + fewest_parts(address + part, length - part);

            fewest = parts < fewest ? parts : fewest;
        }
    }
    return fewest;
}

static void a_range_is_spread_over_as_few_registers_as_can_be(void **state)
{
    (void)state;
    for (uintptr_t address = PLACE; address < PLACE + 8; address++)
        for (size_t length = 1; length <= BREAKPOINT_LENGTH_MAX; length++) {
            bool one_register = length <= 8 && !(length & (length - 1));
            unsigned fewest = fewest_parts(address, length);
            int error = install(0, address, length, ARCH_WRITE);

            if (one_register && address % length)
                assert_int_equal(error, -EINVAL);
            else if (fewest > ARCH_WATCHES)
                assert_int_equal(error, -ENOSPC);
            else
                assert_int_equal(error, 0);
            assert_int_equal(breakpoint_used(), error ? 0 : fewest);
            if (!error)
                assert_covers(address, length);
            uninstall(0);
        }
}

/* --- Two kinds of machine. --- */

struct place {
    unsigned offset, length;
    enum arch_access access;
};

static bool place_hit(const struct place *watch, const struct place *access)
{
    return (watch->access == ARCH_READ_WRITE || access->access == ARCH_WRITE) &&
           access->offset < watch->offset + watch->length &&
           watch->offset < access->offset + access->length;
}

static bool place_inside(const struct place *inner, const struct place *outer)
{
    return outer->offset <= inner->offset &&
           inner->offset + inner->length <= outer->offset + outer->length;
}

/*
 * What a machine that reports the lowest register only cannot tell (docs/breakpoints.md): one
 * access across two watches apart from each other; or a write to a read-write watch inside a wider
 * write watch, which could have been a read.
 */
static bool pair_is_ambiguous(const struct place *left, const struct place *right)
{
    const struct place *inner = left->length <= right->length ? left : right;
    const struct place *outer = inner == left ? right : left;

    if (!place_inside(inner, outer))
        return true;
    return inner->length < outer->length && inner->access == ARCH_READ_WRITE &&
           outer->access == ARCH_WRITE;
}

/* Every aligned place in 16 bytes, of `most` kinds of access. */
static size_t list_places(struct place *places, const enum arch_access *accesses, bool aligned)
{
    size_t count = 0;

    for (unsigned length = 1; length <= 8; length *= 2)
        for (unsigned offset = 0; offset + length <= 16; offset += aligned ? length : 1)
            for (unsigned i = 0; i < 2; i++)
                places[count++] = (struct place){offset, length, accesses[i]};
    return count;
}

static void assert_counts(const struct place *watches, unsigned count, const struct place *access)
{
    bool hit[ARCH_WATCHES], ambiguous = false;

    for (unsigned i = 0; i < count; i++)
        hit[i] = place_hit(&watches[i], access);
    for (unsigned i = 0; i < count; i++)
        for (unsigned j = 0; j < i; j++)
            ambiguous |= hit[i] && hit[j] && pair_is_ambiguous(&watches[i], &watches[j]);
    for (enum fake_report report = FAKE_REPORT_ALL; report <= FAKE_REPORT_LOWEST; report++) {
        unsigned told = 0, happened = 0;

        for (unsigned i = 0; i < count; i++)
            owners[i].hits = 0;
        fake_arch_access(PLACE + access->offset, access->length, access->access, report, NULL);
        for (unsigned i = 0; i < count; i++) {
            assert_true(owners[i].hits <= hit[i]);
            told += owners[i].hits;
            happened += hit[i];
        }
        assert_true(happened == 0 || told > 0);
        if (report == FAKE_REPORT_ALL || !ambiguous)
            assert_int_equal(told, happened);
    }
}

static const enum arch_access watch_kinds[] = {ARCH_WRITE, ARCH_READ_WRITE};

/* A read is what a read-write watch sees and a write watch does not. */
static const enum arch_access access_kinds[] = {ARCH_WRITE, ARCH_READ_WRITE};

static void both_kinds_of_machine_count_the_same_for_two_watches(void **state)
{
    struct place places[64], accesses[128];
    size_t place_count = list_places(places, watch_kinds, true);
    size_t access_count = list_places(accesses, access_kinds, false);

    (void)state;
    for (size_t left = 0; left < place_count; left++)
        for (size_t right = 0; right < place_count; right++) {
            struct place pair[] = {places[left], places[right]};

            for (unsigned i = 0; i < 2; i++)
                assert_int_equal(install(i, PLACE + pair[i].offset, pair[i].length, pair[i].access),
                                 0);
            for (size_t access = 0; access < access_count; access++)
                assert_counts(pair, 2, &accesses[access]);
            uninstall_all();
        }
}

static void both_kinds_of_machine_count_the_same_for_four_watches(void **state)
{
    struct place places[64], accesses[128];
    size_t place_count = list_places(places, watch_kinds, true);
    size_t access_count = list_places(accesses, access_kinds, false);

    (void)state;
    srand(1);
    for (unsigned round = 0; round < 3000; round++) {
        struct place four[ARCH_WATCHES];

        for (unsigned i = 0; i < ARCH_WATCHES; i++) {
            four[i] = places[(size_t)rand() % place_count];
            assert_int_equal(install(i, PLACE + four[i].offset, four[i].length, four[i].access), 0);
        }
        for (unsigned i = 0; i < 20; i++)
            assert_counts(four, ARCH_WATCHES, &accesses[(size_t)rand() % access_count]);
        uninstall_all();
    }
}

/* The other half of the rule: where machines differ, it is by this, and not more. */
static void what_cannot_be_known_is_counted_low_not_high(void **state)
{
    (void)state;
    assert_int_equal(install(0, PLACE, 2, ARCH_READ_WRITE), 0);
    assert_int_equal(install(1, PLACE, 8, ARCH_WRITE), 0);
    fake_arch_access(PLACE, 2, ARCH_WRITE, FAKE_REPORT_LOWEST, NULL);
    assert_int_equal(owners[0].hits, 1);
    assert_int_equal(owners[1].hits, 0);
    fake_arch_access(PLACE, 2, ARCH_WRITE, FAKE_REPORT_ALL, NULL);
    assert_int_equal(owners[0].hits, 2);
    assert_int_equal(owners[1].hits, 1);
    uninstall_all();
    assert_int_equal(install(0, PLACE, 4, ARCH_WRITE), 0);
    assert_int_equal(install(1, PLACE + 4, 4, ARCH_WRITE), 0);
    fake_arch_access(PLACE, 8, ARCH_WRITE, FAKE_REPORT_LOWEST, NULL);
    assert_int_equal(owners[0].hits + owners[1].hits, 1);
}

static void an_execute_breakpoint_and_a_watch_of_its_byte_are_two_things(void **state)
{
    (void)state;
    fake_arch.executable = (struct fake_range){.start = PLACE, .end = PLACE + 16};
    assert_int_equal(install(0, PLACE, 1, ARCH_EXECUTE), 0);
    assert_int_equal(install(1, PLACE, 8, ARCH_READ_WRITE), 0);
    fake_arch_access(PLACE, 1, ARCH_EXECUTE, FAKE_REPORT_LOWEST, NULL);
    assert_int_equal(owners[0].hits, 1);
    assert_int_equal(owners[1].hits, 0);
    fake_arch_access(PLACE, 1, ARCH_WRITE, FAKE_REPORT_LOWEST, NULL);
    assert_int_equal(owners[0].hits, 1);
    assert_int_equal(owners[1].hits, 1);
}

/* --- Histories, against a model that only knows who is installed. --- */

struct model {
    struct arch_watch watches[ARCH_WATCHES + 4 * OWNERS];
    unsigned owners[ARCH_WATCHES + 4 * OWNERS];
    unsigned count;
};

static void model_add(struct model *model, const struct arch_watch *watch)
{
    unsigned i;

    for (i = 0; i < model->count; i++)
        if (model->watches[i].address == watch->address &&
            model->watches[i].length == watch->length && model->watches[i].access == watch->access)
            break;
    if (i == model->count) {
        model->watches[model->count++] = *watch;
        model->owners[i] = 0;
    }
    model->owners[i]++;
}

static void model_add_breakpoint(struct model *model, const struct breakpoint *breakpoint)
{
    uintptr_t at = breakpoint->address, end = at + breakpoint->length;

    while (at < end) {
        unsigned part = 8;

        while (part > end - at || at % part)
            part /= 2;
        model_add(model, &(struct arch_watch){at, (uint8_t)part, breakpoint->access});
        at += part;
    }
}

static struct model model_of_installed(void)
{
    struct model model = {.count = 0};

    for (unsigned i = 0; i < OWNERS; i++)
        if (owners[i].installed)
            model_add_breakpoint(&model, &owners[i].breakpoint);
    return model;
}

static bool model_fits(const struct model *model)
{
    for (unsigned i = 0; i < model->count; i++)
        if (model->owners[i] > BREAKPOINT_OWNERS_MAX)
            return false;
    return model->count <= ARCH_WATCHES;
}

static void assert_armed_like(const struct model *model)
{
    assert_true(fake_arch.armed);
    assert_int_equal(fake_arch.watch_count, model->count);
    assert_int_equal(breakpoint_used(), model->count);
    for (unsigned i = 0; i < model->count; i++) {
        struct model once = *model;

        model_add(&once, &fake_arch.watches[i]);
        assert_int_equal(once.count, model->count);
        for (unsigned j = 0; j < i; j++)
            assert_memory_not_equal(&fake_arch.watches[i], &fake_arch.watches[j],
                                    sizeof(struct arch_watch));
    }
    for (unsigned i = 1; i < model->count; i++) {
        const struct arch_watch *before = &fake_arch.watches[i - 1], *watch = before + 1;

        assert_true(before->length < watch->length ||
                    (before->length == watch->length && before->access <= watch->access));
    }
}

/* Few places, so that sharing and refusals are frequent. */
static struct breakpoint random_wish(void)
{
    static const size_t lengths[] = {1, 2, 4, 8, 8, 12, 16, 24};
    size_t length = lengths[rand() % 8];
    size_t step = length < 8 ? length : 4;

    return (struct breakpoint){
        .address = PLACE + (size_t)(rand() % 2) * (length == 8 ? 8 : step),
        .length = length,
        .access = rand() % 2 ? ARCH_WRITE : ARCH_READ_WRITE,
    };
}

static void random_install(unsigned i)
{
    struct breakpoint wish = random_wish();
    struct model model = model_of_installed();
    int error;

    model_add_breakpoint(&model, &wish);
    error = install(i, wish.address, wish.length, wish.access);
    assert_int_equal(error, model_fits(&model) ? 0 : -ENOSPC);
}

static void any_history_leaves_what_its_owners_asked_for(void **state)
{
    (void)state;
    srand(2);
    for (unsigned step = 0; step < 40000; step++) {
        unsigned i = (unsigned)rand() % OWNERS;
        struct model model;

        fake_arch.calls[0] = '\0';
        if (owners[i].installed)
            uninstall(i);
        else
            random_install(i);
        model = model_of_installed();
        if (step > 0)
            assert_armed_like(&model);
    }
}

/* --- */

struct text_sink {
    struct sink sink;
    char text[1024];
    size_t length;
};

static void text_write(struct sink *sink, const char *bytes, size_t length)
{
    struct text_sink *text = (struct text_sink *)sink;

    assert_true(text->length + length < sizeof(text->text));
    memcpy(text->text + text->length, bytes, length);
    text->length += length;
}

static void the_list_names_registers_and_their_holders(void **state)
{
    struct text_sink text = {.sink.write = text_write};

    (void)state;
    assert_int_equal(install(0, PLACE, 8, ARCH_READ_WRITE), 0);
    assert_int_equal(install(1, PLACE, 8, ARCH_READ_WRITE), 0);
    assert_int_equal(install(2, PLACE, 4, ARCH_WRITE), 0);
    breakpoint_print(&text.sink);
    assert_string_equal(text.text, "  dr0  0xffffffff80200000/4:w for owner 2\n"
                                   "  dr1  0xffffffff80200000/8:rw for owner 0 and 1 more\n"
                                   "  dr2  free\n"
                                   "  dr3  free\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_cpu_that_does_not_answer_is_a_reason_to_refuse, setup),
        cmocka_unit_test_setup(lengths_that_no_registers_hold_are_refused, setup),
        cmocka_unit_test_setup(unaligned_addresses_are_refused_with_the_aligned_range, setup),
        cmocka_unit_test_setup(addresses_that_are_not_canonical_are_refused, setup),
        cmocka_unit_test_setup(the_last_bytes_of_memory_are_refused, setup),
        cmocka_unit_test_setup(what_is_not_mapped_is_refused, setup),
        cmocka_unit_test_setup(what_the_trap_itself_uses_is_refused_by_overlap, setup),
        cmocka_unit_test_setup(execute_breakpoints_must_be_on_code, setup),
        cmocka_unit_test_setup(a_fifth_watch_is_told_who_holds_the_four, setup),
        cmocka_unit_test_setup(a_range_that_needs_more_than_is_free_takes_nothing, setup),
        cmocka_unit_test_setup(a_register_takes_sixteen_owners, setup),
        cmocka_unit_test_setup(a_refusal_changes_nothing_that_is_armed, setup),
        cmocka_unit_test_setup(equal_watches_share_a_register_until_the_last_one_goes, setup),
        cmocka_unit_test_setup(one_owner_that_goes_frees_the_register, setup),
        cmocka_unit_test_setup(the_first_of_two_owners_to_go_leaves_the_other_armed, setup),
        cmocka_unit_test_setup(nobody_comes_between_looking_a_register_up_and_taking_it, setup),
        cmocka_unit_test_setup(another_length_or_access_is_another_register, setup),
        cmocka_unit_test_setup(registers_are_filled_narrowest_first_and_write_before_read_write,
                               setup),
        cmocka_unit_test_setup(nothing_can_hit_while_the_table_changes, setup),
        cmocka_unit_test_setup(the_parts_of_one_symbol_count_an_access_once, setup),
        cmocka_unit_test_setup(a_range_is_spread_over_as_few_registers_as_can_be, setup),
        cmocka_unit_test_setup(both_kinds_of_machine_count_the_same_for_two_watches, setup),
        cmocka_unit_test_setup(both_kinds_of_machine_count_the_same_for_four_watches, setup),
        cmocka_unit_test_setup(what_cannot_be_known_is_counted_low_not_high, setup),
        cmocka_unit_test_setup(an_execute_breakpoint_and_a_watch_of_its_byte_are_two_things, setup),
        cmocka_unit_test_setup(any_history_leaves_what_its_owners_asked_for, setup),
        cmocka_unit_test_setup(the_list_names_registers_and_their_holders, setup),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
