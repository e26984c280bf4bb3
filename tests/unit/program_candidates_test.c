/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The instructions of a program that may have made an access, determined from the text and the
 * registers after it, and how many of them explain the hit.
 *
 * links: arch/x86_64/debug/program_candidates.c
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "arch/cpu.h"
#include "arch/regs.h"
#include "arch/watch.h"
#include "arch/x86_64/debug/report.h"
#include "kernel/x86_64/memory/paging.h"
#include "kernel/x86_64/user.h"

#define TEXT      0x400000u
#define TEXT_SIZE 64
#define DATA      0x500000u
#define IP        (TEXT + 32)

static uint8_t text[TEXT_SIZE];
static uint64_t data[32]; /* at DATA */
static struct regs regs;
static struct arch_candidate candidates[ARCH_CANDIDATES_MAX];

/* --- The program. --- */

bool arch_watch_groups(void)
{
    return false;
}

bool arch_watch_reports_beside(void)
{
    return false;
}

static bool program_read(uintptr_t address, void *to, size_t length)
{
    if (address >= TEXT && address + length <= TEXT + TEXT_SIZE)
        memcpy(to, text + (address - TEXT), length);
    else if (address >= DATA && address + length <= DATA + sizeof(data))
        memcpy(to, (const char *)data + (address - DATA), length);
    else
        return false;
    return true;
}

static int setup(void **state)
{
    (void)state;
    memset(text, 0x90, sizeof(text)); /* nop */
    memset(data, 0, sizeof(data));
    regs = (struct regs){.ip = IP,
                         .cs = USER_CODE_SELECTOR,
                         .flags = FLAGS_FIXED,
                         .sp = DATA + 128,
                         .di = DATA + 8,
                         .si = DATA + 72};
    return 0;
}

/* Places an instruction that ends at ip. */
static void put(const char *bytes, unsigned length)
{
    memcpy(text + (IP - TEXT) - length, bytes, length);
}

static unsigned ways_of(uintptr_t address, uint8_t length, enum arch_access access)
{
    const struct arch_watch watch = {address, length, access};

    return arch_program_candidates(&regs, &watch, program_read, candidates);
}

static void assert_made(const struct arch_made *made, uintptr_t address, size_t size, bool writes)
{
    assert_true(made->placed);
    assert_int_equal(made->address, address);
    assert_int_equal(made->size, size);
    assert_int_equal(made->writes, writes);
}

/* --- Claims. --- */

static void an_instruction_has_both_of_its_accesses(void **state)
{
    (void)state;
    put("\x48\xa5", 2); /* movsq; without its prefix, movsd */
    assert_int_equal(ways_of(DATA + 64, 8, ARCH_READ_WRITE), 2);
    for (unsigned i = 0; i < 2; i++)
        assert_int_equal(candidates[i].count, 2);
    assert_made(&candidates[1].made[0], DATA, 8, true);
    assert_made(&candidates[1].made[1], DATA + 64, 8, false);
}

static void one_that_accesses_other_bytes_is_none(void **state)
{
    (void)state;
    put("\x89\x07", 2); /* mov [rdi], eax */
    assert_int_equal(ways_of(DATA + 8, 4, ARCH_WRITE), 1);
    assert_made(&candidates[0].made[0], DATA + 8, 4, true);
    assert_int_equal(ways_of(DATA + 16, 4, ARCH_WRITE), 0);
    put("\x8b\x07", 2); /* a load, which writes nothing */
    assert_int_equal(ways_of(DATA + 8, 4, ARCH_WRITE), 0);
    assert_int_equal(ways_of(DATA + 8, 4, ARCH_READ_WRITE), 1);
}

static void an_address_of_32_bits_is_measured(void **state)
{
    (void)state;
    put("\x67\xa3\x00\x00\x50\x00", 6); /* mov [dword 0x500000], eax */
    assert_int_equal(ways_of(DATA, 4, ARCH_WRITE), 1);
    assert_false(candidates[0].made[0].placed);
}

static void too_many_ways_are_none(void **state)
{
    (void)state;
    put("\x2e\x2e\x2e\x2e\x2e\x2e\x48\xa5", 8);
    assert_int_equal(ways_of(DATA + 64, 8, ARCH_READ_WRITE), 0);
}

static void text_that_cannot_be_read_has_no_way(void **state)
{
    (void)state;
    put("\x89\x07", 2);
    regs.ip = TEXT + 2;
    assert_int_equal(ways_of(DATA + 8, 4, ARCH_WRITE), 0);
    regs.ip = IP;
    regs.cs = KERNEL_CODE_SELECTOR; /* at the kernel's entry */
    assert_int_equal(ways_of(DATA + 8, 4, ARCH_WRITE), 0);
}

static void a_jump_or_call_has_read_where_it_leads(void **state)
{
    (void)state;
    data[3] = IP;
    assert_int_equal(ways_of(DATA + 24, 8, ARCH_READ_WRITE), 2);
    assert_int_equal(candidates[0].count, 1);
    assert_made(&candidates[0].made[0], DATA + 24, 8, false);
    assert_int_equal(candidates[1].count, 2);
    assert_made(&candidates[1].made[1], regs.sp, 8, true);
    assert_int_equal(ways_of(DATA + 24, 8, ARCH_WRITE), 0);
}

static void a_call_has_pushed_and_may_have_read_anywhere(void **state)
{
    (void)state;
    assert_int_equal(ways_of(DATA + 128, 8, ARCH_WRITE), 1);
    assert_made(&candidates[0].made[0], DATA + 128, 8, true);
    assert_int_equal(candidates[0].count, 2);
    assert_false(candidates[0].made[1].placed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(an_instruction_has_both_of_its_accesses, setup),
        cmocka_unit_test_setup(one_that_accesses_other_bytes_is_none, setup),
        cmocka_unit_test_setup(an_address_of_32_bits_is_measured, setup),
        cmocka_unit_test_setup(too_many_ways_are_none, setup),
        cmocka_unit_test_setup(text_that_cannot_be_read_has_no_way, setup),
        cmocka_unit_test_setup(a_jump_or_call_has_read_where_it_leads, setup),
        cmocka_unit_test_setup(a_call_has_pushed_and_may_have_read_anywhere, setup),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
