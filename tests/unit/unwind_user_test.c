/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The program's part of a chain. A small program, with functions as compilers generate them, is
 * stepped while its calls are recorded: at each instruction the chain must be these calls, also in
 * prologues, epilogues and leaf functions without a frame. Then come impossible stacks and
 * registers.
 *
 * links: core/unwind/default_fp.c tests/unit/fake_arch.c tests/unit/no_symbols.c
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "arch/cpu.h"
#include "core/abi/symtab.h"
#include "core/host.h"
#include "core/symbols/symbols.h"
#include "core/unwind/unwind.h"

#define TEXT       0x401000u
#define TEXT_SIZE  0x100u
#define STACK      0x7fff00000000u
#define STACK_SIZE 0x400u
#define CHAIN_MOST 127

/* Its functions, one after the other; a call has the number of its target. */
static const struct {
    const char *name;
    uint8_t length;
    uint8_t code[24];
} functions[] = {
    {"start", 7, {0x90, 0xe8, 1, 0, 0, 0, 0xf4}},
    {"main", 23, {0x55, 0x48, 0x89, 0xe5, 0x90, 0xe8, 2, 0, 0, 0,    0x90, 0xe8,
                  3,    0,    0,    0,    0xe8, 5,    0, 0, 0, 0xc9, 0xc3}},
    {"framed_leaf", 7, {0x55, 0x48, 0x89, 0xe5, 0x90, 0x5d, 0xc3}},
    {"frameless_leaf", 3, {0x90, 0x90, 0xc3}},
    {"empty", 1, {0xc3}},
    {"middle", 16, {0x55, 0x48, 0x89, 0xe5, 0xe8, 3, 0, 0, 0, 0xe8, 4, 0, 0, 0, 0x5d, 0xc3}},
};
#define FUNCTIONS (sizeof(functions) / sizeof(functions[0]))

static struct {
    uint8_t text[TEXT_SIZE];
    uint8_t stack[STACK_SIZE];
    uintptr_t start[FUNCTIONS + 1];
    bool is_known, has_symbols; /* Pitot knows it, or its symbols, too */
} program;

static struct {
    uintptr_t ip, sp, fp;
    uint64_t callers[16]; /* return addresses, outermost first */
    unsigned depth;
} cpu;

static bool read_part(const void *from, size_t size, uintptr_t base, uintptr_t address, void *to)
{
    if (address < base || address >= base + size)
        return false;
    memcpy(to, (const char *)from + (address - base), 1);
    return true;
}

/* As arch_user_read: what lies in front of a bad byte is done. */
static int program_read(unsigned number, unsigned long stack, unsigned long address, void *to,
                        unsigned long length)
{
    char *at = to;

    assert_int_equal(number, arch_cpu_id());
    assert_int_equal(stack, 0);
    for (; length > 0; length--, address++, at++)
        if (!read_part(program.text, TEXT_SIZE, TEXT, address, at) &&
            !read_part(program.stack, STACK_SIZE, STACK, address, at))
            return false;
    return true;
}

/* Of the functions, in order; their names are never asked for. */
static struct symtab_entry entries[FUNCTIONS];
static struct symbol_table symbols = {.entries = entries, .strings = ""};

static unsigned process(unsigned number, unsigned long stack, const struct pitot_program **of)
{
    static struct pitot_program only;

    assert_int_equal(number, arch_cpu_id());
    assert_int_equal(stack, 0);
    only.symbols = program.has_symbols ? (const struct pitot_symbols *)&symbols : NULL;
    *of = program.is_known ? &only : NULL;
    return 1;
}

static int load(void **state)
{
    uintptr_t at = TEXT;

    (void)state;
    memset(&program, 0, sizeof(program));
    for (unsigned i = 0; i < FUNCTIONS; i++) {
        program.start[i] = at;
        memcpy(program.text + (at - TEXT), functions[i].code, functions[i].length);
        at += functions[i].length;
    }
    program.start[FUNCTIONS] = at;
    for (unsigned i = 0; i < FUNCTIONS; i++)
        entries[i] = (struct symtab_entry){.offset = (uint32_t)program.start[i],
                                           .size = functions[i].length};
    symbols.entry_count = symbols.found_count = FUNCTIONS;
    program.is_known = program.has_symbols = true;
    host.process = process;
    host.process_read = program_read;
    memset(&cpu, 0, sizeof(cpu));
    cpu.ip = TEXT;
    cpu.sp = STACK + STACK_SIZE - 16; /* argc, and the argument's place */
    program.stack[STACK_SIZE - 16] = 1;
    return 0;
}

static uint64_t *stack_word(uintptr_t address)
{
    return (uint64_t *)(program.stack + (address - STACK));
}

static void push(uint64_t value)
{
    cpu.sp -= 8;
    *stack_word(cpu.sp) = value;
}

static uint64_t pop(void)
{
    cpu.sp += 8;
    return *stack_word(cpu.sp - 8);
}

static void call(const uint8_t *code)
{
    cpu.callers[cpu.depth++] = cpu.ip + 5;
    push(cpu.ip + 5);
    cpu.ip = program.start[code[1]];
}

/* False at the program's end. */
static bool step(void)
{
    const uint8_t *code = program.text + (cpu.ip - TEXT);

    switch (code[0]) {
    case 0x55:
        push(cpu.fp);
        cpu.ip += 1;
        return true;
    case 0x48:
        cpu.fp = cpu.sp;
        cpu.ip += 3;
        return true;
    case 0xc9:
        cpu.sp = cpu.fp;
        __attribute__((fallthrough));
    case 0x5d:
        cpu.fp = pop();
        cpu.ip += 1;
        return true;
    case 0xe8:
        call(code);
        return true;
    case 0xc3:
        cpu.ip = pop();
        cpu.depth--;
        return true;
    case 0x90:
        cpu.ip += 1;
        return true;
    default:
        return false;
    }
}

static struct unwind_border border_here(void)
{
    return (struct unwind_border){.crossed = true, .ip = cpu.ip, .sp = cpu.sp, .fp = cpu.fp};
}

static void assert_chain_here(void)
{
    struct unwind_border border = border_here();
    uint64_t chain[CHAIN_MOST];
    size_t count = unwind_user_capture(&border, chain, CHAIN_MOST);

    assert_int_equal(count, cpu.depth + 1);
    assert_int_equal(chain[0], cpu.ip);
    for (unsigned i = 0; i < cpu.depth; i++)
        assert_int_equal(chain[1 + i], cpu.callers[cpu.depth - 1 - i]);
}

static void every_instruction_has_the_chain_that_led_there(void **state)
{
    unsigned steps = 0, leaves = 0;

    (void)state;
    do {
        assert_chain_here();
        leaves += cpu.ip >= program.start[3] && cpu.ip < program.start[5];
        steps++;
    } while (step());
    assert_int_equal(steps, 30);
    assert_int_equal(leaves, 7); /* without a frame, but with a caller */
    assert_int_equal(cpu.depth, 0);
}

/*
 * Everything but leaf functions and epilogues after a `pop rbp`, which look like a function's body.
 */
static void prologues_are_told_by_their_bytes(void)
{
    do {
        bool leaf = cpu.ip >= program.start[3] && cpu.ip < program.start[5];

        if (!leaf && cpu.ip >= program.start[1])
            assert_chain_here();
    } while (step());
}

static void without_symbols_prologues_are_told_by_their_bytes(void **state)
{
    (void)state;
    program.has_symbols = false;
    prologues_are_told_by_their_bytes();
}

static void so_are_they_in_a_process_of_no_program(void **state)
{
    (void)state;
    program.is_known = false;
    prologues_are_told_by_their_bytes();
}

static void the_caller_of_a_jump_into_nowhere_is_the_code_that_jumped(void **state)
{
    uint64_t chain[CHAIN_MOST];

    (void)state;
    while (cpu.ip != program.start[2])
        step();
    for (unsigned i = 0; i < 3; i++) {
        static const uintptr_t nowhere[] = {0, TEXT - 1, 0xdeadbeef000};
        struct unwind_border border = border_here();

        border.ip = nowhere[i];
        assert_int_equal(unwind_user_capture(&border, chain, CHAIN_MOST), 3);
        assert_int_equal(chain[0], nowhere[i]);
        assert_int_equal(chain[1], cpu.callers[1]);
        assert_int_equal(chain[2], cpu.callers[0]);
    }
}

static void frames_are_skipped_and_chains_are_cut(void **state)
{
    uint64_t whole[CHAIN_MOST], chain[CHAIN_MOST];
    struct unwind_border border;
    size_t count;

    (void)state;
    while (cpu.ip != program.start[4])
        step();
    border = border_here();
    count = unwind_user_capture(&border, whole, CHAIN_MOST);
    assert_int_equal(count, 4);
    for (unsigned skip = 0; skip < 6; skip++)
        for (size_t most = 0; most < 6; most++) {
            size_t left = skip < count ? count - skip : 0;

            border.skip = skip;
            assert_int_equal(unwind_user_capture(&border, chain, most), left < most ? left : most);
            for (size_t i = 0; i < left && i < most; i++)
                assert_int_equal(chain[i], whole[skip + i]);
        }
}

/* Frame pointers that lead to themselves, back, out of memory or to an unaligned address. */
static void what_no_compiler_made_ends_the_chain(void **state)
{
    static const uint64_t wrong[] = {
        0, 1, STACK + 0x101, STACK - 8, STACK + STACK_SIZE - 8, UINT64_MAX - 7, 0xffff800000000000};
    uint64_t chain[CHAIN_MOST];
    struct unwind_border border;

    (void)state;
    while (cpu.ip != program.start[1] + 4) /* in the body of main */
        step();
    border = border_here();
    for (unsigned i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        border.fp = wrong[i];
        assert_int_equal(unwind_user_capture(&border, chain, CHAIN_MOST), 1);
    }
    border.fp = cpu.fp;
    *stack_word(cpu.fp) = cpu.fp; /* in a circle */
    assert_int_equal(unwind_user_capture(&border, chain, CHAIN_MOST), 2);
    *stack_word(cpu.fp + 8) = 0xffffffff80100000; /* a return into the kernel */
    assert_int_equal(unwind_user_capture(&border, chain, CHAIN_MOST), 1);
}

/* Random stack and registers: the chain fits, and ends. */
static void noise_ends(void **state)
{
    uint64_t chain[CHAIN_MOST];

    (void)state;
    srand(1);
    for (unsigned round = 0; round < 20000; round++) {
        struct unwind_border border = {.crossed = true,
                                       .ip = TEXT + (unsigned)rand() % (TEXT_SIZE + 8) - 4,
                                       .sp = STACK + (unsigned)rand() % STACK_SIZE,
                                       .fp = STACK + (unsigned)rand() % STACK_SIZE,
                                       .skip = (unsigned)rand() % 4};
        size_t most = (unsigned)rand() % CHAIN_MOST + 1;

        for (unsigned i = 0; i < STACK_SIZE; i += 8)
            *stack_word(STACK + i) = rand() % 2 ? TEXT + (unsigned)rand() % TEXT_SIZE
                                                : STACK + (unsigned)rand() % STACK_SIZE / 8 * 8;
        assert_in_range(unwind_user_capture(&border, chain, most), 0, most);
    }
}

static void without_a_host_that_knows_programs_there_is_no_part(void **state)
{
    struct unwind_border border;
    uint64_t chain[CHAIN_MOST];

    (void)state;
    border = border_here();
    host.process_read = NULL;
    assert_int_equal(unwind_user_capture(&border, chain, CHAIN_MOST), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(every_instruction_has_the_chain_that_led_there, load),
        cmocka_unit_test_setup(without_symbols_prologues_are_told_by_their_bytes, load),
        cmocka_unit_test_setup(so_are_they_in_a_process_of_no_program, load),
        cmocka_unit_test_setup(the_caller_of_a_jump_into_nowhere_is_the_code_that_jumped, load),
        cmocka_unit_test_setup(frames_are_skipped_and_chains_are_cut, load),
        cmocka_unit_test_setup(what_no_compiler_made_ends_the_chain, load),
        cmocka_unit_test_setup(noise_ends, load),
        cmocka_unit_test_setup(without_a_host_that_knows_programs_there_is_no_part, load),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
