/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Hostile stacks: libFuzzer's bytes become a table, registers and the contents of a few small
 * stacks, and a chain is walked. It must end with a reason, in fewer frames than the stacks have
 * words, without reading outside the stacks, which are surrounded by poisoned memory; and
 * unwind_capture_by must find the same frames. Run by tests/host/fuzz.t (docs/proof.md).
 *
 * links: core/unwind/unwind.c core/unwind/fp.c core/unwind/orc.c core/unwind/table.c core/unwind/default_fp.c core/lib/crc32.c core/lib/refusal.c core/lib/print.c arch/x86_64/unwind/frame.c arch/x86_64/cpu/registers.c tools/orcgen/table.c tests/unit/fake_arch.c core/host.c tests/unit/fake_unwind_table.c tests/unit/unwind_machine.c tests/fuzz/feed.c
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arch/memory.h"
#include "core/lib/refusal.h"
#include "core/unwind/table.h"
#include "core/unwind/unwind.h"
#include "tests/fuzz/claim.h"
#include "tests/fuzz/feed.h"
#include "tests/unit/fake_unwind_table.h"
#include "tests/unit/unwind_machine.h"

#define STACKS 5

/* The text of tables made from the input: smaller than the machine's, as each is newly built. */
#define FED_ROWS_MOST   48
#define FED_TEXT_SIZE   (FED_ROWS_MOST * 256u)
#define FED_PLAIN_END   0x2000u
#define FED_TRAP_RETURN 0x2080u

/* For all stacks together: each frame needs a word of its own, so there cannot be more. */
#define FRAMES_MOST 512

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static const struct arch_stack *stacks[STACKS];
static size_t stack_words;
static uint32_t text_size; /* of the table in use */

/* --- From bytes to a table, registers and stacks. --- */

static struct unwind_rule feed_rule(struct feed *feed)
{
    static const uint8_t bases[] = {UNWIND_BASE_STACK_POINTER, UNWIND_BASE_FRAME_POINTER, 10, 3};
    uint8_t shape = feed_byte(feed), base = feed_byte(feed);
    struct unwind_rule rule = {
        .kind = shape % UNWIND_RULE_KINDS,
        .saved = shape / 8 % UNWIND_SAVED_PLACES,
        .indirect = shape >> 7,
        .base = bases[base % 4],
        .cfa_offset = 8 * (int8_t)feed_byte(feed),
    };

    if (rule.saved != UNWIND_SAVED_NOWHERE)
        rule.saved_offset = 8 * (int8_t)feed_byte(feed);
    if (base >= 0xfe) {
        rule.base = shape / 8 % UNWIND_BASE_COUNT;
        rule.cfa_offset = (int32_t)feed_number(feed, 4);
    }
    return rule;
}

/* Look-ups must find what table_build was given, to the byte. */
static void check_rows(const struct table *table, const struct table_row *rows, size_t count)
{
    const struct unwind_table_expected expected = {
        .build_id = arch_build_id(), .text = arch_text_start(), .text_end = arch_text_end()};
    struct unwind_table opened;
    struct refusal why;

    CLAIM(unwind_table_open(&opened, table->bytes, table->size, &expected, &why) == 0);
    for (size_t i = 0; i < count; i++) {
        uint32_t end = i + 1 < count ? rows[i + 1].offset : FED_TEXT_SIZE;

        for (unsigned last = 0; last < 2; last++) {
            uint32_t offset = last ? end - 1 : rows[i].offset;
            struct unwind_rule rule =
                unwind_table_rule(&opened, offset, unwind_table_code(&opened, offset));

            CLAIM(memcmp(&rule, &rows[i].rule, sizeof(rule)) == 0);
        }
    }
}

static void feed_table(struct feed *feed)
{
    const struct table_text text = {
        .address = (uintptr_t)machine_text, .size = FED_TEXT_SIZE, .build_id = arch_build_id()};
    struct table_row rows[FED_ROWS_MOST];
    size_t count = 1 + feed_byte(feed) % FED_ROWS_MOST;
    uint32_t offset = 0;
    struct table table;

    for (size_t i = 0; i < count; i++) {
        rows[i] = (struct table_row){.offset = offset, .rule = feed_rule(feed)};
        offset += 1 + feed_byte(feed);
    }
    text_size = FED_TEXT_SIZE;
    fake_arch.text_plain_end = machine_at(FED_PLAIN_END);
    fake_arch.text_end = machine_at(FED_TEXT_SIZE);
    fake_arch.trap_return = machine_at(FED_TRAP_RETURN);
    table_build(&table, rows, count, &text);
    check_rows(&table, rows, count);
    fake_unwind_table_fill(table.bytes, table.size);
    free(table.bytes);
}

/* The machine's own table is kept from one input to the next. */
static void use_machine_table(void)
{
    if (text_size == TEXT_SIZE)
        return;
    text_size = TEXT_SIZE;
    machine_place_text();
    fake_unwind_table_fill(machine_table()->bytes, machine_table()->size);
}

/* A word that a stack or register may hold; short inputs give one that fits. */
static uint64_t feed_word(struct feed *feed)
{
    static const unsigned places[] = {TRAP_RETURN,    ENTRY,         ENTRY_WHOLE,  ENTRY_HALF,
                                      REALIGNED_BODY, TRAP_AT_FRAME, NORETURN_END, STEPS};
    uint8_t what = feed_byte(feed);
    const struct arch_stack *stack = stacks[what / 8 % STACKS];

    switch (what % 8) {
    case 0:
        return stack->low + 8 * (uint64_t)feed_byte(feed);
    case 1:
        return stack->high - 8 * (uint64_t)feed_byte(feed);
    case 2:
        return stack->low - feed_byte(feed);
    case 3:
        if (what & 0x40)
            return fake_arch.trap_return;
        return machine_at(places[what / 8 % 8] % text_size);
    case 4:
        return machine_at((unsigned)feed_number(feed, 2));
    case 5:
        return machine_at(feed_byte(feed));
    case 6:
        return (uint64_t)(int8_t)feed_byte(feed);
    default:
        return feed_number(feed, 8);
    }
}

static void feed_stacks(struct feed *feed)
{
    unsigned stack = 0, word = 0;

    for (unsigned i = 0; i < STACKS; i++)
        memset(fake_stack_words(stacks[i]), 0, stacks[i]->high - stacks[i]->low);
    while (!feed_is_empty(feed)) {
        uint8_t where = feed_byte(feed);

        if (where & 0x80)
            stack = where % STACKS;
        word += where / 8 % 16;
        word %= (unsigned)((stacks[stack]->high - stacks[stack]->low) / 8);
        fake_stack_words(stacks[stack])[word++] = feed_word(feed);
    }
}

/* A trap frame, a snapshot, a partial one or a rewound one. */
static struct regs feed_regs(struct feed *feed, uint8_t kind)
{
    struct regs regs = {.cs = KERNEL_CODE_SELECTOR, .ip = feed_word(feed), .sp = feed_word(feed)};

    if (kind % 4 == 0)
        return regs;
    regs.bp = feed_word(feed);
    if (kind % 4 == 1) {
        regs.flags = FLAGS_FIXED;
        regs.r10 = feed_word(feed);
        regs.bx = feed_word(feed);
    } else if (kind % 4 == 2) {
        regs.vector = REGS_REWOUND;
    }
    return regs;
}

/* --- What must hold. --- */

struct walk_result {
    uint64_t ip[FRAMES_MOST];
    size_t count;
    enum unwind_end end;
};

static void walk(enum unwind_method method, const struct regs *regs, struct walk_result *result)
{
    struct unwind state;

    result->count = 0;
    for (unwind_start_by(method, &state, regs); !unwind_done(&state); unwind_next(&state)) {
        CLAIM(result->count < stack_words + 2);
        CLAIM(state.kind != UNWIND_CALL || result->count == 0 || !state.regs);
        result->ip[result->count++] = state.ip;
    }
    result->end = state.end;
    CLAIM(strlen(unwind_reason(state.end)) > 0);
}

static void check_capture(enum unwind_method method, const struct regs *regs,
                          const struct walk_result *whole, unsigned skip, size_t most)
{
    size_t expected = whole->count > skip ? whole->count - skip : 0;
    uint64_t *chain = malloc(most * sizeof(*chain) + 1);

    expected = expected < most ? expected : most;
    CLAIM(unwind_capture_by(method, regs, skip, chain, most) == expected);
    CLAIM(memcmp(chain, whole->ip + skip, expected * sizeof(*chain)) == 0);
    free(chain);
}

/*
 * A chain from rewound registers continues the same way. It may end elsewhere, as it has not
 * visited everything that the whole chain has.
 */
static void check_rewind(enum unwind_method method, const struct regs *regs,
                         const struct walk_result *whole, unsigned callers)
{
    static struct walk_result rest;
    struct regs rewound = *regs;

    if (!unwind_rewind(method, &rewound, callers)) {
        CLAIM(callers >= whole->count);
        CLAIM(memcmp(&rewound, regs, sizeof(rewound)) == 0);
        return;
    }
    CLAIM(callers < whole->count);
    walk(method, &rewound, &rest);
    for (size_t i = 0; i < rest.count && callers + i < whole->count; i++)
        CLAIM(rest.ip[i] == whole->ip[callers + i]);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    machine_setup(NULL); /* the code; its stacks are larger than inputs */
    fake_arch_reset(NULL);
    machine_place_text();
    for (unsigned i = 0; i < STACKS; i++) {
        stacks[i] = fake_stack_add("small", 48 + 8 * i);
        stack_words += 48 + 8 * i;
    }
    CLAIM(stack_words + 2 <= FRAMES_MOST);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static struct walk_result whole;
    struct feed feed = {.bytes = bytes, .left = size};
    uint8_t choice = feed_byte(&feed), cut = feed_byte(&feed);
    enum unwind_method method = choice & 1 ? UNWIND_BY_FRAME_POINTER : UNWIND_BY_TABLE;
    uint32_t before = text_size;
    struct refusal why;
    struct regs regs;

    if (choice & 2)
        feed_table(&feed);
    else
        use_machine_table();
    if (choice & 2 || before != text_size)
        CLAIM(unwind_init(&why) == 0);
    regs = feed_regs(&feed, choice / 4);
    feed_stacks(&feed);
    walk(method, &regs, &whole);
    check_capture(method, &regs, &whole, 0, whole.count + 1);
    check_capture(method, &regs, &whole, cut % 16, cut / 16);
    check_rewind(method, &regs, &whole, cut % 16);
    return 0;
}
