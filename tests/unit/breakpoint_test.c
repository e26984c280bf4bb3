/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The arbiter of debug registers: what it refuses and why, which owners share a register, and that
 * each owner gets exactly its own hits, on machines that report every watch that an access matches,
 * and on those that report only the lowest. If the instruction is known, the hits are exact;
 * otherwise no more are reported than happened, and doubtful ones are counted
 * (docs/breakpoints.md).
 *
 * links: tests/unit/fake_arch.c
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/breakpoint/breakpoint.h"
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

/* Refused with this error, for this reason, and without a side effect. */
static void assert_refused(int result, int error, const char *reason)
{
    assert_int_equal(result, -error);
    if (!strstr(why.text, reason))
        fail_msg("\"%s\" lacks \"%s\"", why.text, reason);
    /* Only with all CPUs parked is it known whether registers are free. */
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

/* No kernel maps anything there, and such a range ends at address 0. */
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
    assert_refused(install(2, PLACE + 65, 32, ARCH_WRITE), ENOSPC, "5 debug registers needed");
    assert_int_equal(breakpoint_used(), 2);
    /* Parts that are already armed need no register. */
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
    /* Its first part would fit but its second is full, so neither is armed. */
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

/* Counts from 1: a count that starts at 0 would not be 0 again when its only owner is removed. */
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

/* ... and would be 0 too early when the first of two is removed. */
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

/* If it were in the table twice, one entry would remain after its removal and be called. */
static void what_is_installed_twice_or_removed_twice_breaks_a_claim(void **state)
{
    (void)state;
    assert_int_equal(install(0, PLACE, 4, ARCH_WRITE), 0);
    expect_assert_failure(breakpoint_install(&owners[0].breakpoint, &why));
    expect_assert_failure(breakpoint_remove(&owners[1].breakpoint));
    assert_int_equal(breakpoint_used(), 1);
    uninstall(0);
    expect_assert_failure(breakpoint_remove(&owners[0].breakpoint));
    assert_int_equal(breakpoint_used(), 0);
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

/* An owner that is added meanwhile is seen: looking up a register and using it are one step. */
static void looking_a_register_up_and_taking_it_is_one_step(void **state)
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

static void overlapping_bytes_share_the_widest_range_and_both_accesses(void **state)
{
    (void)state;
    assert_int_equal(install(0, PLACE, 4, ARCH_WRITE), 0);
    assert_int_equal(install(1, PLACE, 4, ARCH_READ_WRITE), 0);
    assert_int_equal(breakpoint_used(), 1);
    assert_watch(0, PLACE, 4, ARCH_READ_WRITE);
    assert_int_equal(install(2, PLACE, 8, ARCH_WRITE), 0);
    assert_int_equal(install(3, PLACE + 5, 1, ARCH_WRITE), 0);
    assert_int_equal(breakpoint_used(), 1);
    assert_watch(0, PLACE, 8, ARCH_READ_WRITE);
    uninstall(1);
    assert_watch(0, PLACE, 8, ARCH_WRITE);
    uninstall(2);
    assert_int_equal(breakpoint_used(), 2);
    assert_watch(0, PLACE + 5, 1, ARCH_WRITE);
    assert_watch(1, PLACE, 4, ARCH_WRITE);
}

/* Neighbours get a register each while there are some, and each is exact without further checks. */
static void neighbours_join_only_where_registers_run_out(void **state)
{
    (void)state;
    assert_int_equal(install(0, PLACE, 4, ARCH_WRITE), 0);
    assert_int_equal(install(1, PLACE + 4, 4, ARCH_READ_WRITE), 0);
    assert_int_equal(install(2, PLACE + 8, 1, ARCH_WRITE), 0);
    assert_int_equal(install(3, PLACE + 15, 1, ARCH_WRITE), 0);
    assert_int_equal(breakpoint_used(), 4);
    assert_int_equal(install(4, PLACE + 16, 8, ARCH_WRITE), 0); /* first those without a gap */
    assert_int_equal(breakpoint_used(), 4);
    assert_watch(0, PLACE + 8, 1, ARCH_WRITE);
    assert_watch(1, PLACE + 15, 1, ARCH_WRITE);
    assert_watch(2, PLACE + 16, 8, ARCH_WRITE);
    assert_watch(3, PLACE, 8, ARCH_READ_WRITE);
    assert_int_equal(install(5, PLACE + 24, 8, ARCH_WRITE), 0); /* ... then those with one */
    assert_int_equal(breakpoint_used(), 4);
    assert_int_equal(install(6, PLACE + 32, 8, ARCH_WRITE), -ENOSPC);
    assert_non_null(strstr(why.text, "1 debug register needed, 0 of 4 free; held by "));
    uninstall(4);
    assert_watch(0, PLACE + 8, 1, ARCH_WRITE);
    assert_watch(1, PLACE + 15, 1, ARCH_WRITE);
}

static void an_execute_breakpoint_shares_with_its_equal_alone(void **state)
{
    (void)state;
    fake_arch.executable = (struct fake_range){.start = PLACE, .end = PLACE + 64};
    for (unsigned i = 0; i < 2; i++)
        assert_int_equal(install(i, PLACE, 1, ARCH_EXECUTE), 0);
    assert_int_equal(install(2, PLACE, 1, ARCH_READ_WRITE), 0);
    assert_int_equal(install(3, PLACE + 1, 1, ARCH_EXECUTE), 0);
    assert_int_equal(install(4, PLACE + 2, 1, ARCH_EXECUTE), 0);
    assert_int_equal(breakpoint_used(), 4);
    assert_int_equal(install(5, PLACE + 3, 1, ARCH_EXECUTE), -ENOSPC);
    assert_int_equal(install(5, PLACE, 8, ARCH_WRITE), 0);
    assert_int_equal(breakpoint_used(), 4);
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
 * The definition: aligned parts of 1, 2, 4 or 8 bytes that cover each byte of the range exactly
 * once, and no other.
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

/* The fewest parts that cover the range, found by trying every first part. */
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

            unsigned words = (unsigned)((address + length + 7) / 8 - address / 8);

            if (one_register && address % length)
                assert_int_equal(error, -EINVAL);
            else
                assert_int_equal(error, words > ARCH_WATCHES ? -ENOSPC : 0);
            if (error || fewest > ARCH_WATCHES)
                assert_int_equal(breakpoint_used(), error ? 0 : ARCH_WATCHES);
            else
                assert_covers(address, length);
            uninstall(0);
        }
}

/* --- Whose hit it is, on both kinds of machine. --- */

struct place {
    unsigned offset, length;
    enum arch_access access; /* of an access, ARCH_READ_WRITE means a read */
    bool modifies;           /* an access that reads, and then writes */
};

static bool place_hit(const struct place *watch, const struct place *access)
{
    return (watch->access == ARCH_READ_WRITE || access->access == ARCH_WRITE || access->modifies) &&
           access->offset < watch->offset + watch->length &&
           watch->offset < access->offset + access->length;
}

/* Every aligned place in 16 bytes, and every way to watch it. */
static size_t list_watches(struct place *places)
{
    size_t count = 0;

    for (unsigned length = 1; length <= 8; length *= 2)
        for (unsigned offset = 0; offset + length <= 16; offset += length)
            for (unsigned writes = 0; writes < 2; writes++)
                places[count++] = (struct place){.offset = offset,
                                                 .length = length,
                                                 .access = writes ? ARCH_WRITE : ARCH_READ_WRITE};
    return count;
}

/* Every place of 1, 2, 4 or 8 bytes in 16: read, written, and both. */
static size_t list_accesses(struct place *places)
{
    size_t count = 0;

    for (unsigned length = 1; length <= 8; length *= 2)
        for (unsigned offset = 0; offset + length <= 16; offset++)
            for (unsigned kind = 0; kind < 3; kind++)
                places[count++] = (struct place){.offset = offset,
                                                 .length = length,
                                                 .access = kind ? ARCH_READ_WRITE : ARCH_WRITE,
                                                 .modifies = kind == 2};
    return count;
}

static void make_access(const struct place *access, bool known)
{
    fake_arch.knows_access = known;
    fake_arch.modifies = access->modifies;
    fake_arch_access(PLACE + access->offset, access->length, access->access,
                     fake_arch.lowest_only ? FAKE_REPORT_LOWEST : FAKE_REPORT_ALL, NULL);
}

/* Exact if the instruction is known; otherwise never too many, and missing hits are counted. */
static void assert_counts(const struct place *watches, unsigned count, const struct place *access)
{
    for (unsigned known = 0; known < 2; known++) {
        for (unsigned i = 0; i < count; i++)
            owners[i].hits = owners[i].breakpoint.doubtful = 0;
        make_access(access, known);
        for (unsigned i = 0; i < count; i++) {
            unsigned truth = place_hit(&watches[i], access), hits = owners[i].hits;

            if (hits > truth || hits + owners[i].breakpoint.doubtful < truth ||
                (known && hits != truth) || (known && owners[i].breakpoint.doubtful))
                fail_msg("watch %u+%u %d of %u, access %u+%u %d%s, %s, %s: %u told, %u doubtful",
                         watches[i].offset, watches[i].length, watches[i].access, count,
                         access->offset, access->length, access->access,
                         access->modifies ? " and writes" : "", known ? "known" : "unknown",
                         fake_arch.lowest_only ? "lowest" : "all", hits,
                         (unsigned)owners[i].breakpoint.doubtful);
        }
    }
}

static void install_places(const struct place *places, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        assert_int_equal(install(i, PLACE + places[i].offset, places[i].length, places[i].access),
                         0);
}

static void each_of_two_watches_has_its_own_hits(void **state)
{
    struct place places[64], accesses[192];
    size_t place_count = list_watches(places), access_count = list_accesses(accesses);

    (void)state;
    for (unsigned lowest = 0; lowest < 2; lowest++)
        for (size_t left = 0; left < place_count; left++)
            for (size_t right = 0; right < place_count; right++) {
                struct place pair[] = {places[left], places[right]};

                fake_arch.lowest_only = lowest;
                install_places(pair, 2);
                for (size_t access = 0; access < access_count; access++)
                    assert_counts(pair, 2, &accesses[access]);
                uninstall_all();
            }
}

/* Any length up to 16, in 32 bytes: some of the places have to share registers. */
static struct place random_place(void)
{
    for (;;) {
        struct place place = {.offset = (unsigned)rand() % 32,
                              .length = 1 + (unsigned)rand() % 16,
                              .access = rand() % 2 ? ARCH_WRITE : ARCH_READ_WRITE};
        bool one_register = place.length <= 8 && !(place.length & (place.length - 1));

        if (place.offset + place.length <= 32 && !(one_register && place.offset % place.length))
            return place;
    }
}

static struct place random_access(void)
{
    unsigned length = 1u << rand() % 4, kind = (unsigned)rand() % 3;

    return (struct place){.offset = (unsigned)rand() % (33 - length),
                          .length = length,
                          .access = kind ? ARCH_READ_WRITE : ARCH_WRITE,
                          .modifies = kind == 2};
}

static void each_of_many_watches_has_its_own_hits(void **state)
{
    (void)state;
    srand(1);
    for (unsigned round = 0; round < 6000; round++) {
        struct place places[10];
        unsigned count = 2 + (unsigned)rand() % 9;

        fake_arch.lowest_only = rand() % 2;
        for (unsigned i = 0; i < count; i++) {
            places[i] = random_place();
            if (install(i, PLACE + places[i].offset, places[i].length, places[i].access))
                count = i; /* too many owners for one register */
        }
        for (unsigned i = 0; i < 20; i++) {
            struct place access = random_access();

            assert_counts(places, count, &access);
        }
        uninstall_all();
    }
}

/*
 * If an instruction cannot be decoded, the bytes that changed are its writes, unless other code can
 * have written them.
 */
static void changed_bytes_tell_who_was_hit(void **state)
{
    uint64_t word = 0;

    (void)state;
    for (unsigned cpus = 1; cpus <= 2; cpus++) {
        fake_arch.cpus = cpus;
        fake_arch.watched = &word;
        install(0, PLACE, 8, ARCH_READ_WRITE);
        install(1, PLACE, 4, ARCH_WRITE);
        install(2, PLACE + 4, 4, ARCH_WRITE);
        word ^= 1;
        fake_arch_access(PLACE, 4, ARCH_WRITE, FAKE_REPORT_ALL, NULL);
        fake_arch_access(PLACE, 4, ARCH_READ_WRITE, FAKE_REPORT_ALL, NULL);
        assert_int_equal(owners[0].hits, 2);
        assert_int_equal(owners[1].hits, cpus == 1);
        assert_int_equal(owners[1].breakpoint.doubtful, cpus == 1 ? 1 : 2);
        assert_int_equal(owners[2].hits, 0);
        assert_int_equal(owners[2].breakpoint.doubtful, 2);
        uninstall_all();
    }
    fake_arch.watched = NULL;
}

/* A call and its return access two parts of one owner; the machine reports the lower register. */
static void a_change_is_evidence_for_one_access(void **state)
{
    uint64_t word = 0;

    (void)state;
    fake_arch.cpus = 1;
    fake_arch.lowest_only = true;
    fake_arch.watched = &word;
    install(0, PLACE + 4, 2, ARCH_READ_WRITE);
    install(1, PLACE + 3, 5, ARCH_WRITE);
    for (unsigned i = 1; i <= 3; i++) {
        word = ~word;
        fake_arch_access(PLACE, 8, ARCH_WRITE, FAKE_REPORT_LOWEST, NULL);
        fake_arch_access(PLACE, 8, ARCH_READ_WRITE, FAKE_REPORT_LOWEST, NULL);
        assert_true(owners[1].hits <= i && i <= owners[1].hits + owners[1].breakpoint.doubtful);
        assert_true(owners[0].hits <= 2 * i &&
                    2 * i <= owners[0].hits + owners[0].breakpoint.doubtful);
    }
    fake_arch.watched = NULL;
}

/* Reports the lowest register for the last access of fake_arch_access. */
static void report_lowest(void)
{
    fake_arch.armed = false;
    fake_arch.handler(1, NULL);
    fake_arch.armed = true;
}

/* Some machines report an access to a watch that it does not touch (docs/breakpoints.md). */
static void a_report_that_may_be_wrong_is_no_hit(void **state)
{
    (void)state;
    fake_arch.beside = fake_arch.lowest_only = true;
    install(0, PLACE, 2, ARCH_WRITE);
    install(1, PLACE + 18, 2, ARCH_READ_WRITE);
    install(2, PLACE + 4096, 8, ARCH_WRITE);
    fake_arch_access(PLACE + 12, 8, ARCH_WRITE, FAKE_REPORT_LOWEST, NULL); /* sets `made` */
    owners[1].hits = owners[1].breakpoint.doubtful = owners[0].breakpoint.doubtful = 0;
    report_lowest();
    assert_int_equal(owners[0].hits + owners[1].hits, 0);
    assert_int_equal(owners[0].breakpoint.doubtful, 1);
    assert_int_equal(owners[1].breakpoint.doubtful, 1);
    assert_int_equal(owners[2].hits + owners[2].breakpoint.doubtful, 0);
    fake_arch.knows_access = true;
    report_lowest();
    assert_int_equal(owners[0].hits, 0);
    assert_int_equal(owners[1].hits, 1);
    assert_int_equal(owners[0].breakpoint.doubtful, 1);
    assert_int_equal(owners[1].breakpoint.doubtful, 1);
}

static void who_wants_it_is_told_of_doubtful_hits(void **state)
{
    (void)state;
    install(0, PLACE, 8, ARCH_READ_WRITE);
    install(1, PLACE, 4, ARCH_WRITE);
    owners[1].breakpoint.hit_in_doubt = true;
    fake_arch_access(PLACE, 4, ARCH_READ_WRITE, FAKE_REPORT_ALL, NULL);
    assert_int_equal(owners[1].hits, 1);
    assert_int_equal(owners[1].breakpoint.doubtful, 0);
    fake_arch.knows_access = true;
    fake_arch_access(PLACE, 4, ARCH_READ_WRITE, FAKE_REPORT_ALL, NULL);
    assert_int_equal(owners[1].hits, 1);
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

/* --- Random histories, compared with a model that only knows what is installed. --- */

struct model {
    struct arch_watch parts[OWNERS * 8];
    unsigned count;
};

static void model_add_breakpoint(struct model *model, const struct breakpoint *breakpoint)
{
    uintptr_t at = breakpoint->address, end = at + breakpoint->length;

    while (at < end) {
        unsigned part = 8;

        while (part > end - at || at % part)
            part /= 2;
        model->parts[model->count++] = (struct arch_watch){at, (uint8_t)part, breakpoint->access};
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

/* Words from PLACE on, each with as many parts as one register can serve. */
static bool model_fits(const struct model *model)
{
    unsigned parts[16] = {0}, words = 0;

    for (unsigned i = 0; i < model->count; i++)
        if (parts[(model->parts[i].address - PLACE) / 8]++ == BREAKPOINT_OWNERS_MAX)
            return false;
    for (unsigned i = 0; i < 16; i++)
        words += parts[i] > 0;
    return words <= ARCH_WATCHES;
}

static bool is_inside(const struct arch_watch *inner, const struct arch_watch *outer)
{
    return outer->address <= inner->address &&
           inner->address + inner->length <= outer->address + outer->length;
}

/* The number of registers needed if none watches more than was requested. */
static unsigned model_ranges(const struct model *model)
{
    unsigned count = 0;

    for (unsigned i = 0; i < model->count; i++) {
        bool counts = true;

        for (unsigned j = 0; j < model->count; j++)
            if (is_inside(&model->parts[i], &model->parts[j]) &&
                (j < i || model->parts[j].length > model->parts[i].length))
                counts = false;
        count += counts;
    }
    return count;
}

/* Each part is in one register, which watches exactly what was requested. */
static void assert_armed_like(const struct model *model)
{
    enum arch_access wanted[ARCH_WATCHES] = {0};
    unsigned ranges = model_ranges(model);

    assert_true(fake_arch.armed);
    assert_int_equal(breakpoint_used(), fake_arch.watch_count);
    assert_int_equal(fake_arch.watch_count, ranges < ARCH_WATCHES ? ranges : ARCH_WATCHES);
    for (unsigned i = 0; i < model->count; i++) {
        unsigned holders = 0;

        for (unsigned j = 0; j < fake_arch.watch_count; j++)
            if (is_inside(&model->parts[i], &fake_arch.watches[j])) {
                holders++;
                if (wanted[j] < model->parts[i].access)
                    wanted[j] = model->parts[i].access;
            }
        assert_int_equal(holders, 1);
    }
    for (unsigned j = 0; j < fake_arch.watch_count; j++)
        assert_int_equal(fake_arch.watches[j].access, wanted[j]);
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
    assert_int_equal(install(3, PLACE + 8, 2, ARCH_WRITE), 0);
    breakpoint_print(&text.sink);
    assert_string_equal(text.text, "  dr0  0xffffffff80200008/2:w for owner 3\n"
                                   "  dr1  0xffffffff80200000/8:rw for owner 0 and 2 more\n"
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
        cmocka_unit_test_setup(looking_a_register_up_and_taking_it_is_one_step, setup),
        cmocka_unit_test_setup(what_is_installed_twice_or_removed_twice_breaks_a_claim, setup),
        cmocka_unit_test_setup(overlapping_bytes_share_the_widest_range_and_both_accesses, setup),
        cmocka_unit_test_setup(neighbours_join_only_where_registers_run_out, setup),
        cmocka_unit_test_setup(nothing_can_hit_while_the_table_changes, setup),
        cmocka_unit_test_setup(the_parts_of_one_symbol_count_an_access_once, setup),
        cmocka_unit_test_setup(a_range_is_spread_over_as_few_registers_as_can_be, setup),
        cmocka_unit_test_setup(each_of_two_watches_has_its_own_hits, setup),
        cmocka_unit_test_setup(each_of_many_watches_has_its_own_hits, setup),
        cmocka_unit_test_setup(a_change_is_evidence_for_one_access, setup),
        cmocka_unit_test_setup(a_report_that_may_be_wrong_is_no_hit, setup),
        cmocka_unit_test_setup(who_wants_it_is_told_of_doubtful_hits, setup),
        cmocka_unit_test_setup(an_execute_breakpoint_shares_with_its_equal_alone, setup),
        cmocka_unit_test_setup(changed_bytes_tell_who_was_hit, setup),
        cmocka_unit_test_setup(an_execute_breakpoint_and_a_watch_of_its_byte_are_two_things, setup),
        cmocka_unit_test_setup(any_history_leaves_what_its_owners_asked_for, setup),
        cmocka_unit_test_setup(the_list_names_registers_and_their_holders, setup),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
