/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which instructions branch, and how long the conditional ones are, compared with Zydis: every
 * opcode followed by every byte, with prefixes of each kind before it. Also which branch a pair of
 * addresses implies.
 *
 * libs: -lZydis
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include <Zydis/Zydis.h>

#include "arch/x86_64/debug/branch.h"

#define PREFIXES_MOST 3
#define HERE          0xffffffff80100000ull

static const uint8_t prefixes[][PREFIXES_MOST + 1] = {
    /* their number, and the prefixes */
    {0},
    {1, 0x66},
    {1, 0x67},
    {1, 0xf2},
    {1, 0xf3},
    {1, 0x2e},
    {1, 0x3e},
    {1, 0x65},
    {1, 0x41},
    {1, 0x48},
    {2, 0x66, 0x48},
    {2, 0xf2, 0x66},
    {3, 0x2e, 0xf2, 0x4f},
};

/*
 * Transactions, virtual machines, and entries and exits of other modes: no kernel here uses them.
 */
static bool is_of_others(const ZydisDecodedInstruction *instruction)
{
    switch (instruction->mnemonic) {
    case ZYDIS_MNEMONIC_XBEGIN:
    case ZYDIS_MNEMONIC_XABORT:
    case ZYDIS_MNEMONIC_RSM:
    case ZYDIS_MNEMONIC_UIRET:
        return true;
    default:
        return instruction->meta.category == ZYDIS_CATEGORY_VTX;
    }
}

static bool shadows(const ZydisDecodedInstruction *instruction, const ZydisDecodedOperand *operands)
{
    return instruction->mnemonic == ZYDIS_MNEMONIC_STI ||
           instruction->mnemonic == ZYDIS_MNEMONIC_PAUSE ||
           (instruction->mnemonic == ZYDIS_MNEMONIC_MOV &&
            operands[0].type == ZYDIS_OPERAND_TYPE_REGISTER &&
            operands[0].reg.value == ZYDIS_REGISTER_SS);
}

static enum branch_kind kind_of(const ZydisDecodedInstruction *instruction,
                                const ZydisDecodedOperand *operands)
{
    if (shadows(instruction, operands))
        return BRANCH_SHADOW;
    switch (instruction->meta.category) {
    case ZYDIS_CATEGORY_COND_BR:
        return BRANCH_CONDITIONAL;
    case ZYDIS_CATEGORY_UNCOND_BR:
    case ZYDIS_CATEGORY_CALL:
    case ZYDIS_CATEGORY_RET:
    case ZYDIS_CATEGORY_SYSCALL:
    case ZYDIS_CATEGORY_SYSRET:
        return BRANCH_ALWAYS;
    default:
        return BRANCH_NONE;
    }
}

/* The number of branches of each kind. */
static unsigned seen[BRANCH_SHADOW + 1];

static void compare(const ZydisDecoder *decoder, const uint8_t *bytes)
{
    ZydisDecodedInstruction instruction;
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
    struct branch judged = branch_judge(bytes);
    enum branch_kind kind;

    if (!ZYAN_SUCCESS(
            ZydisDecoderDecodeFull(decoder, bytes, BRANCH_BYTES, &instruction, operands)) ||
        is_of_others(&instruction))
        return;
    kind = kind_of(&instruction, operands);
    if (judged.kind != kind || (judged.length && judged.length != instruction.length))
        print_error("%s: %02x %02x %02x %02x %02x\n", ZydisMnemonicGetString(instruction.mnemonic),
                    bytes[0], bytes[1], bytes[2], bytes[3], bytes[4]);
    assert_int_equal(judged.kind, kind);
    assert_true(judged.length == instruction.length || judged.kind == BRANCH_ALWAYS ||
                judged.kind == BRANCH_NONE);
    seen[kind]++;
}

static void each_instruction_is_what_zydis_says(void **state)
{
    ZydisDecoder decoder;

    (void)state;
    ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
        for (unsigned rest = 0; rest < 1u << 16; rest++) {
            uint8_t bytes[2 * BRANCH_BYTES] = {0}, *opcode = bytes + prefixes[i][0];

            memcpy(bytes, prefixes[i] + 1, prefixes[i][0]);
            opcode[0] = (uint8_t)rest;
            opcode[1] = (uint8_t)(rest >> 8);
            compare(&decoder, bytes);
        }
    for (unsigned kind = 0; kind <= BRANCH_SHADOW; kind++)
        assert_true(seen[kind] > 20);
}

/* The branch implied by a step from HERE to `to` over these bytes. */
static int taken(const char *text, size_t length, uintptr_t to)
{
    uint8_t bytes[2 * BRANCH_BYTES] = {0};

    memcpy(bytes, text, length);
    return branch_taken(bytes, HERE, to);
}

#define TAKEN(text, to) taken(text, sizeof(text) - 1, to)

static void a_conditional_branch_is_one_where_it_goes_elsewhere(void **state)
{
    (void)state;
    assert_int_equal(TAKEN("\x74\x10", HERE + 0x12), 0);
    assert_int_equal(TAKEN("\x74\x10", HERE + 2), -1);
    assert_int_equal(TAKEN("\x0f\x84\x10\0\0\0", HERE + 0x16), 0);
    assert_int_equal(TAKEN("\x0f\x84\x10\0\0\0", HERE + 6), -1);
    assert_int_equal(TAKEN("\xe2\xfe", HERE), 0); /* to itself */
    assert_int_equal(TAKEN("\x67\xe3\x10", HERE + 3), -1);
}

static void a_call_is_a_branch_wherever_it_goes(void **state)
{
    (void)state;
    assert_int_equal(TAKEN("\xe8\0\0\0\0", HERE + 5), 0);
    assert_int_equal(TAKEN("\xff\xd0", 0x1234), 0);
    assert_int_equal(TAKEN("\xc3", HERE + 1), 0);
}

static void an_instruction_that_falls_through_is_no_branch(void **state)
{
    (void)state;
    assert_int_equal(TAKEN("\x90", HERE + 1), -1);
    assert_int_equal(TAKEN("\xf3\xa4", HERE), -1);     /* rep movsb, next iteration */
    assert_int_equal(TAKEN("\xff\x30", HERE + 2), -1); /* push [rax] */
    assert_int_equal(TAKEN("\xcc", 0xffff), -1);       /* int3: an exception */
    assert_int_equal(TAKEN("\x0f\x0b", 0xffff), -1);   /* ud2 */
}

static void the_instruction_after_a_late_trap_may_have_run_as_well(void **state)
{
    (void)state;
    assert_int_equal(TAKEN("\xfb\xc3", HERE + 1), -1);   /* a step in between */
    assert_int_equal(TAKEN("\xfb\xc3", HERE + 0x40), 1); /* no step in between */
    assert_int_equal(TAKEN("\xfb\x90", HERE + 2), -1);
    assert_int_equal(TAKEN("\xf3\x90\xeb\xfc", HERE), 2);
    assert_int_equal(TAKEN("\xf3\x90\xeb\xfc", HERE + 2), -1);
    assert_int_equal(TAKEN("\xfb\x74\x10", HERE + 3), -1);
    assert_int_equal(TAKEN("\xfb\x74\x10", HERE + 0x13), 1);
    assert_int_equal(TAKEN("\x8e\xd0\xeb\x10", HERE + 0x14), 2);
    assert_int_equal(TAKEN("\x41\x8e\xd0\xeb\x10", HERE + 3), -1);
}

/* mov ss also from memory: with every ModRM byte and every SIB byte. */
static void each_form_of_mov_ss_holds_the_step_back(void **state)
{
    ZydisDecoder decoder;

    (void)state;
    ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
        for (unsigned rest = 0; rest < 1u << 16; rest++) {
            uint8_t bytes[2 * BRANCH_BYTES] = {0}, *opcode = bytes + prefixes[i][0];

            memcpy(bytes, prefixes[i] + 1, prefixes[i][0]);
            opcode[0] = 0x8e;
            opcode[1] = (uint8_t)rest;
            opcode[2] = (uint8_t)(rest >> 8);
            compare(&decoder, bytes);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_instruction_is_what_zydis_says),
        cmocka_unit_test(each_form_of_mov_ss_holds_the_step_back),
        cmocka_unit_test(a_conditional_branch_is_one_where_it_goes_elsewhere),
        cmocka_unit_test(a_call_is_a_branch_wherever_it_goes),
        cmocka_unit_test(an_instruction_that_falls_through_is_no_branch),
        cmocka_unit_test(the_instruction_after_a_late_trap_may_have_run_as_well),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
