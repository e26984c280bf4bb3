/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What `--verify-chain` prints, for counts that the test sets: agreement, and a first difference of
 * either kind.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "core/lib/print.h"
#include "core/symbols/symbols.h"
#include "core/unwind/unwind.h"

static struct verify_counts counts;
static char said[512];

struct verify_counts verify_chain_counts(void)
{
    return counts;
}

const char *unwind_reason(enum unwind_end end)
{
    return end == UNWIND_IN_ENTRY ? "in an entry" : "another reason";
}

/* Functions of 16 bytes from 0x1000 to 0x1030. */
bool symbols_find_address(uintptr_t address, struct symbol *found)
{
    static const char *const names[] = {"inner", "middle", "outer"};

    if (address < 0x1000 || address >= 0x1030)
        return false;
    *found = (struct symbol){
        .name = names[(address - 0x1000) / 16], .address = address & ~(uintptr_t)15, .size = 16};
    return true;
}

static void note(struct sink *sink, const char *bytes, size_t length)
{
    (void)sink;
    strncat(said, bytes, length);
}

static void assert_says(const char *words)
{
    struct sink sink = {.write = note};

    said[0] = '\0';
    verify_chain_print(&sink);
    assert_string_equal(said, words);
}

static void agreement_is_one_line(void **state)
{
    (void)state;
    counts = (struct verify_counts){.chains = 0};
    assert_says("[ verify-chain: 0 chains by table and by frame pointers, 0 agree ]\n");
    counts.chains = 3280;
    assert_says("[ verify-chain: 3280 chains by table and by frame pointers, 3280 agree ]\n");
}

/* 0x1020 follows the last byte of the calling function, and is the first of the next. */
static void a_return_address_is_named_by_its_call(void **state)
{
    (void)state;
    counts = (struct verify_counts){
        .chains = 10,
        .differ = 3,
        .first = {
            .ip = 0x1004,
            .frame = 2,
            .by = {[UNWIND_BY_TABLE] = 0x1020, [UNWIND_BY_FRAME_POINTER] = 0x1020},
            .kind = {[UNWIND_BY_TABLE] = UNWIND_CALL, [UNWIND_BY_FRAME_POINTER] = UNWIND_TRAP}}};
    assert_says("[ verify-chain: 10 chains by table and by frame pointers, 7 agree ]\n"
                "[ verify-chain: the first difference at inner+0x4, frame 2: by table middle+0x10, "
                "by frame pointers outer+0x0 ]\n");
}

static void an_ended_chain_says_why(void **state)
{
    (void)state;
    counts =
        (struct verify_counts){.chains = 1,
                               .differ = 1,
                               .first = {.ip = 0x2000,
                                         .frame = 1,
                                         .by = {[UNWIND_BY_TABLE] = 0x1011},
                                         .kind = {[UNWIND_BY_TABLE] = UNWIND_TRAP},
                                         .end = {[UNWIND_BY_FRAME_POINTER] = UNWIND_IN_ENTRY}}};
    assert_says("[ verify-chain: 1 chains by table and by frame pointers, 0 agree ]\n"
                "[ verify-chain: the first difference at 0x2000, frame 1: by table middle+0x1, "
                "by frame pointers in an entry ]\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agreement_is_one_line),
        cmocka_unit_test(a_return_address_is_named_by_its_call),
        cmocka_unit_test(an_ended_chain_says_why),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
