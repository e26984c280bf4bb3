/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the plugin takes an instruction for (outside/plugin/decode.h), against Zydis: every opcode
 * of one and two bytes with every ModRM byte, under the prefixes that compilers use.
 *
 * libs: -lZydis
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <Zydis/Zydis.h>

#include "outside/plugin/decode.h"

#define LENGTH_MAX 15

static ZydisDecoder decoder;

struct instruction {
    ZydisDecodedInstruction it;
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
    uint8_t bytes[LENGTH_MAX + 1];
};

static bool is_relative(const struct instruction *instruction)
{
    return instruction->operands[0].type == ZYDIS_OPERAND_TYPE_IMMEDIATE &&
           instruction->operands[0].imm.is_relative;
}

/* Whether the stack pointer is written by an operand that the instruction names. */
static bool writes_sp(const struct instruction *instruction)
{
    for (unsigned i = 0; i < instruction->it.operand_count_visible; i++) {
        const ZydisDecodedOperand *operand = &instruction->operands[i];

        if (operand->type == ZYDIS_OPERAND_TYPE_REGISTER &&
            (operand->reg.value == ZYDIS_REGISTER_RSP ||
             operand->reg.value == ZYDIS_REGISTER_ESP) &&
            operand->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE)
            return true;
    }
    return false;
}

static bool is_sum(const struct instruction *instruction)
{
    const ZydisDecodedOperand *from = &instruction->operands[1];

    switch (instruction->it.mnemonic) {
    case ZYDIS_MNEMONIC_MOV:
    case ZYDIS_MNEMONIC_XCHG:
    case ZYDIS_MNEMONIC_POP:
    case ZYDIS_MNEMONIC_LSS:
        return false;
    case ZYDIS_MNEMONIC_LEA:
        return from->mem.base == ZYDIS_REGISTER_RSP;
    default:
        return true;
    }
}

/* What it is by Zydis; DECODED_OTHER stands for what is not asked here as well. */
static enum decoded expected_of(const struct instruction *instruction)
{
    switch (instruction->it.mnemonic) {
    case ZYDIS_MNEMONIC_CALL:
        return is_relative(instruction) ? DECODED_CALL : DECODED_CALL_FAR;
    case ZYDIS_MNEMONIC_RET:
        return instruction->it.meta.branch_type == ZYDIS_BRANCH_TYPE_FAR ? DECODED_JUMP_FAR
                                                                         : DECODED_RETURN;
    case ZYDIS_MNEMONIC_JMP:
        return is_relative(instruction) ? DECODED_JUMP : DECODED_JUMP_FAR;
    case ZYDIS_MNEMONIC_SYSCALL:
    case ZYDIS_MNEMONIC_SYSENTER:
        return DECODED_SYSCALL;
    case ZYDIS_MNEMONIC_SYSRET:
    case ZYDIS_MNEMONIC_SYSEXIT:
        return DECODED_SYSRET;
    case ZYDIS_MNEMONIC_INT:
    case ZYDIS_MNEMONIC_INT1:
    case ZYDIS_MNEMONIC_INT3:
        return DECODED_INTERRUPTS;
    case ZYDIS_MNEMONIC_IRET:
    case ZYDIS_MNEMONIC_IRETD:
    case ZYDIS_MNEMONIC_IRETQ:
        return DECODED_INTERRUPT_RETURN;
    default:
        break;
    }
    if (instruction->it.meta.category == ZYDIS_CATEGORY_COND_BR)
        return DECODED_JUMP_IF;
    if (writes_sp(instruction) && !is_sum(instruction))
        return DECODED_LOADS;
    if (instruction->it.meta.category == ZYDIS_CATEGORY_PUSH)
        return DECODED_PUSH;
    if (instruction->it.meta.category == ZYDIS_CATEGORY_POP)
        return DECODED_POP;
    return DECODED_OTHER;
}

static unsigned long compared, others;

static void compare(const struct instruction *instruction)
{
    const uint64_t ip = 0x400000;
    enum decoded expected = expected_of(instruction), is;
    uint64_t target = 0, theirs = 0;

    is = decode(instruction->bytes, instruction->it.length, ip, &target);
    compared++;
    others += is == DECODED_OTHER;
    if (is == DECODED_REPLACES && instruction->it.mnemonic == ZYDIS_MNEMONIC_MOV &&
        instruction->operands[0].mem.base == ZYDIS_REGISTER_RSP &&
        instruction->operands[0].mem.index == ZYDIS_REGISTER_NONE)
        return; /* a store to where rsp points */
    if (is != expected)
        fail_msg("%02x %02x %02x %02x %02x: %s: %d for %d", instruction->bytes[0],
                 instruction->bytes[1], instruction->bytes[2], instruction->bytes[3],
                 instruction->bytes[4], ZydisMnemonicGetString(instruction->it.mnemonic), is,
                 expected);
    if (is != DECODED_CALL && is != DECODED_JUMP && is != DECODED_JUMP_IF)
        return;
    ZydisCalcAbsoluteAddress(&instruction->it, &instruction->operands[0], ip, &theirs);
    assert_int_equal(target, theirs);
}

/*
 * No transactions. A REX prefix that is not the last one has no effect, and 66 before a jump
 * differs by maker.
 */
static bool is_usual(const struct instruction *instruction)
{
    if (instruction->it.meta.isa_ext == ZYDIS_ISA_EXT_RTM)
        return false;
    for (unsigned i = 0; i < instruction->it.raw.prefix_count; i++) {
        bool rex = (instruction->bytes[i] & 0xf0) == 0x40;

        if ((rex && i + 1u < instruction->it.raw.prefix_count) || instruction->bytes[i] == 0x66 ||
            instruction->bytes[i] == 0x67)
            return false;
    }
    return true;
}

/* mov of a register to where a SIB byte says, of which one names rsp alone. */
static void every_sib_byte_is_taken_for_what_it_is(void **state)
{
    unsigned replaces = 0;

    (void)state;
    ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    for (unsigned rex = 0x40; rex < 0x50; rex++)
        for (unsigned sib = 0; sib < 256; sib++) {
            struct instruction instruction = {.bytes = {(uint8_t)rex, 0x89, 0x04, (uint8_t)sib}};
            uint64_t target;

            if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, instruction.bytes, LENGTH_MAX,
                                                     &instruction.it, instruction.operands)))
                continue;
            compare(&instruction);
            replaces +=
                decode(instruction.bytes, instruction.it.length, 0, &target) == DECODED_REPLACES;
        }
    assert_int_equal(replaces, 4); /* REX.R and REX.W do not matter */
}

static void every_opcode_is_taken_for_what_it_is(void **state)
{
    static const uint8_t prefixes[] = {0,    0x65, 0xf0, 0x40, 0x41, 0x44,
                                       0x48, 0x49, 0x4c, 0xf2, 0xf3};

    (void)state;
    srand(1);
    ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    for (size_t prefix = 0; prefix < sizeof(prefixes); prefix++)
        for (unsigned opcode = 0; opcode < 512; opcode++)
            for (unsigned modrm = 0; modrm < 256; modrm++) {
                struct instruction instruction;
                unsigned length = 0;

                for (unsigned i = 0; i < sizeof(instruction.bytes); i++)
                    instruction.bytes[i] = (uint8_t)rand();
                if (prefixes[prefix])
                    instruction.bytes[length++] = prefixes[prefix];
                if (opcode >= 256)
                    instruction.bytes[length++] = 0x0f;
                instruction.bytes[length++] = (uint8_t)opcode;
                instruction.bytes[length] = (uint8_t)modrm;
                if (ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, instruction.bytes, LENGTH_MAX,
                                                        &instruction.it, instruction.operands)) &&
                    is_usual(&instruction))
                    compare(&instruction);
            }
    print_message("%lu compared, %lu of no kind\n", compared, others);
    assert_true(compared > 500000 && others < compared);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_sib_byte_is_taken_for_what_it_is),
        cmocka_unit_test(every_opcode_is_taken_for_what_it_is),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
