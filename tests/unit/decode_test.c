/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How the plugin classifies instructions (outside/plugin/decode.h), compared with Zydis: every
 * opcode of one and two bytes with every ModRM byte, under the prefixes that compilers use.
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

/* True if an explicit operand writes the stack pointer. */
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

    if (instruction->it.meta.category == ZYDIS_CATEGORY_CMOV)
        return false;
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

/* Zydis' classification; DECODED_OTHER also stands for what is not tested here. */
static enum decoded expected_of(const struct instruction *instruction)
{
    switch (instruction->it.mnemonic) {
    case ZYDIS_MNEMONIC_CALL:
        return is_relative(instruction) ? DECODED_CALL : DECODED_CALL_FAR;
    case ZYDIS_MNEMONIC_RET:
        return instruction->it.meta.branch_type == ZYDIS_BRANCH_TYPE_FAR ? DECODED_RETURN_FAR
                                                                         : DECODED_RETURN;
    case ZYDIS_MNEMONIC_LEAVE:
        return DECODED_LEAVE;
    case ZYDIS_MNEMONIC_LIDT:
        return DECODED_TABLE;
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
    case ZYDIS_MNEMONIC_INVLPG:
    case ZYDIS_MNEMONIC_INVPCID:
        return DECODED_REMAP;
    case ZYDIS_MNEMONIC_IRET:
    case ZYDIS_MNEMONIC_IRETD:
    case ZYDIS_MNEMONIC_IRETQ:
        return DECODED_INTERRUPT_RETURN;
    default:
        break;
    }
    if (instruction->it.meta.category == ZYDIS_CATEGORY_COND_BR)
        return DECODED_JUMP_IF;
    if (instruction->it.mnemonic == ZYDIS_MNEMONIC_MOV &&
        instruction->operands[0].type == ZYDIS_OPERAND_TYPE_REGISTER &&
        instruction->operands[0].reg.value == ZYDIS_REGISTER_CR3)
        return DECODED_SPACE;
    if (instruction->it.mnemonic == ZYDIS_MNEMONIC_MOV &&
        instruction->operands[0].type == ZYDIS_OPERAND_TYPE_REGISTER &&
        (instruction->operands[0].reg.value == ZYDIS_REGISTER_CR0 ||
         instruction->operands[0].reg.value == ZYDIS_REGISTER_CR4))
        return DECODED_REMAP;
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

/* True if all its accesses are addressed by rsp or rip, without an index. */
static bool is_fixed(const struct instruction *instruction)
{
    bool fixed = false;

    for (unsigned i = 0; i < instruction->it.operand_count; i++) {
        const ZydisDecodedOperand *operand = &instruction->operands[i];

        if (operand->type != ZYDIS_OPERAND_TYPE_MEMORY || operand->mem.type != ZYDIS_MEMOP_TYPE_MEM)
            continue;
        if ((operand->mem.base != ZYDIS_REGISTER_RSP && operand->mem.base != ZYDIS_REGISTER_RIP) ||
            operand->mem.index != ZYDIS_REGISTER_NONE)
            return false;
        fixed = true;
    }
    return fixed;
}

static bool accesses(const struct instruction *instruction)
{
    for (unsigned i = 0; i < instruction->it.operand_count; i++)
        if (instruction->operands[i].type == ZYDIS_OPERAND_TYPE_MEMORY &&
            instruction->operands[i].mem.type == ZYDIS_MEMOP_TYPE_MEM)
            return true;
    return false;
}

static unsigned long fixed, missed;

/*
 * What is classified as fixed must be; of the fixed ones most are recognized, but none has to be.
 */
static void compare_fixed(const struct instruction *instruction)
{
    bool taken = decode_is_fixed(instruction->bytes);

    if (taken && accesses(instruction) && !is_fixed(instruction))
        fail_msg("%02x %02x %02x %02x %02x: %s is not fixed", instruction->bytes[0],
                 instruction->bytes[1], instruction->bytes[2], instruction->bytes[3],
                 instruction->bytes[4], ZydisMnemonicGetString(instruction->it.mnemonic));
    fixed += taken && is_fixed(instruction);
    missed += !taken && is_fixed(instruction);
}

/* True if a memory operand is addressed by rsp alone. */
static bool is_of_frame(const struct instruction *instruction)
{
    for (unsigned i = 0; i < instruction->it.operand_count; i++)
        if (instruction->operands[i].type == ZYDIS_OPERAND_TYPE_MEMORY &&
            instruction->operands[i].mem.base == ZYDIS_REGISTER_RSP)
            return is_fixed(instruction);
    return false;
}

static void compare_fence(const struct instruction *instruction)
{
    bool locks = instruction->it.attributes & ZYDIS_ATTRIB_HAS_LOCK;
    bool fence = instruction->it.mnemonic == ZYDIS_MNEMONIC_MFENCE ||
                 (locks && decode_is_frame(instruction->bytes));

    if (decode_is_frame(instruction->bytes) && accesses(instruction))
        assert_true(is_of_frame(instruction));
    if (locks || instruction->it.mnemonic != ZYDIS_MNEMONIC_XCHG) /* xchg needs no prefix */
        assert_int_equal(decode_is_fence(instruction->bytes), fence);
}

/* The registers from which cr3 and rsp are loaded. */
static void compare_source(const struct instruction *instruction)
{
    uint64_t target = 0;
    enum decoded is = decode(instruction->bytes, instruction->it.length, 0, &target);

    if (is == DECODED_SPACE)
        assert_int_equal(decode_space_source(instruction->bytes),
                         instruction->operands[1].reg.value - ZYDIS_REGISTER_RAX);
    if (is == DECODED_LOADS && instruction->operands[1].type == ZYDIS_OPERAND_TYPE_MEMORY &&
        instruction->it.mnemonic == ZYDIS_MNEMONIC_MOV)
        assert_int_equal(target, 0);
    if (is == DECODED_LOADS && instruction->bytes[0] == 0x48 && instruction->bytes[1] == 0x89)
        assert_int_equal(target, 1);
}

/*
 * Excludes transactions; a REX prefix that is not the last prefix, which has no effect; and 66
 * before a jump, which differs between vendors.
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
                    is_usual(&instruction)) {
                    compare(&instruction);
                    compare_source(&instruction);
                    compare_fixed(&instruction);
                    compare_fence(&instruction);
                }
            }
    print_message("%lu compared, %lu of no kind\n", compared, others);
    assert_true(compared > 500000 && others < compared);
    print_message("%lu fixed, %lu not seen\n", fixed, missed);
    assert_true(fixed > 2 * missed);
}

/* invpcid has three opcode bytes, after 66. */
static void invpcid_is_a_remap(void **state)
{
    uint8_t bytes[LENGTH_MAX + 1] = {0x66, 0x0f, 0x38, 0, 0x0a};
    uint64_t target;

    (void)state;
    for (unsigned opcode = 0; opcode < 256; opcode++)
        for (unsigned modrm = 0; modrm < 256; modrm++) {
            struct instruction instruction;

            bytes[3] = (uint8_t)opcode;
            bytes[4] = (uint8_t)modrm;
            if (ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, bytes, LENGTH_MAX, &instruction.it,
                                                    instruction.operands)))
                assert_int_equal(decode(bytes, instruction.it.length, 0, &target),
                                 instruction.it.mnemonic == ZYDIS_MNEMONIC_INVPCID ? DECODED_REMAP
                                                                                   : DECODED_OTHER);
        }
    bytes[0] = 0x90;
    bytes[3] = 0x82;
    assert_int_equal(decode(bytes + 1, 4, 0, &target), DECODED_OTHER);
}

struct sequence {
    bool adjusts;
    uint8_t sizes[5];
    uint8_t bytes[32];
};

static void arrays_of_variable_length_are_no_loads(void **state)
{
    static const struct sequence sequences[] = {
        /* mov rax,rsp; sub rax,rcx; and rax,-16; mov rsp,rax */
        {true,
         {3, 3, 4, 3},
         {0x48, 0x89, 0xe0, 0x48, 0x29, 0xc8, 0x48, 0x83, 0xe0, 0xf0, 0x48, 0x89, 0xc4}},
        /* lea r10,[rsp-64]; mov [rdi],rcx; mov rsp,r10 */
        {true, {5, 3, 3}, {0x4c, 0x8d, 0x54, 0x24, 0xc0, 0x48, 0x89, 0x0f, 0x4c, 0x89, 0xd4}},
        /* mov rax,rsp; mov [rdi],rax; mov rax,[rsi]; mov rsp,rax */
        {false,
         {3, 3, 3, 3},
         {0x48, 0x89, 0xe0, 0x48, 0x89, 0x07, 0x48, 0x8b, 0x06, 0x48, 0x89, 0xc4}},
        /* mov rax,rsp; pop rax; mov rsp,rax */
        {false, {3, 1, 3}, {0x48, 0x89, 0xe0, 0x58, 0x48, 0x89, 0xc4}},
        /* mov [rdi],rsp; mov rsp,rsi */
        {false, {3, 3}, {0x48, 0x89, 0x27, 0x48, 0x89, 0xf4}},
        /* mov rsp,[rsi] */
        {false, {3}, {0x48, 0x8b, 0x26}},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(sequences) / sizeof(*sequences); i++) {
        const struct sequence *sequence = &sequences[i];
        size_t count = 0;

        while (sequence->sizes[count + 1])
            count++;
        assert_int_equal(decode_is_adjustment(sequence->bytes, sequence->sizes, count),
                         sequence->adjusts);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_opcode_is_taken_for_what_it_is),
        cmocka_unit_test(invpcid_is_a_remap),
        cmocka_unit_test(arrays_of_variable_length_are_no_loads),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
