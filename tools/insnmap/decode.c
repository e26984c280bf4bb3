/* SPDX-License-Identifier: BSD-2-Clause */
/* See map.h. */
#include "tools/insnmap/map.h"

#include <Zydis/Zydis.h>

#define REPEATED (ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE | ZYDIS_ATTRIB_HAS_REPNE)

struct instruction {
    ZydisDecodedInstruction it;
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT]; /* including hidden operands */
};

/*
 * True for instructions that do not access their memory operand: it is only an address or a hint.
 */
static bool is_hint(const struct instruction *instruction)
{
    ZydisInstructionCategory category = instruction->it.meta.category;

    return category == ZYDIS_CATEGORY_NOP || category == ZYDIS_CATEGORY_WIDENOP ||
           category == ZYDIS_CATEGORY_PREFETCH || category == ZYDIS_CATEGORY_PREFETCHWT1 ||
           instruction->it.mnemonic == ZYDIS_MNEMONIC_INVLPG;
}

static bool accesses_data(const struct instruction *instruction)
{
    if (is_hint(instruction))
        return false;
    for (unsigned i = 0; i < instruction->it.operand_count; i++) {
        const ZydisDecodedOperand *operand = &instruction->operands[i];

        if (operand->type == ZYDIS_OPERAND_TYPE_MEMORY && operand->actions != 0)
            return true;
    }
    return false;
}

/* True if another instruction than the following one may run next. */
static bool leaves(const struct instruction *instruction)
{
    switch (instruction->it.meta.category) {
    case ZYDIS_CATEGORY_RET:
    case ZYDIS_CATEGORY_UNCOND_BR:
    case ZYDIS_CATEGORY_COND_BR:
    case ZYDIS_CATEGORY_INTERRUPT:
    case ZYDIS_CATEGORY_SYSCALL:
    case ZYDIS_CATEGORY_SYSRET:
        return true;
    default:
        return false;
    }
}

/*
 * True for a load of ss. It delays the trap until after the next instruction, so that one would be
 * taken for the accessing one (Intel SDM vol. 3, "Masking Exceptions and Interrupts When Switching
 * Stacks").
 */
static bool loads_ss(const struct instruction *instruction)
{
    for (unsigned i = 0; i < instruction->it.operand_count; i++) {
        const ZydisDecodedOperand *operand = &instruction->operands[i];

        if (operand->type == ZYDIS_OPERAND_TYPE_REGISTER &&
            operand->reg.value == ZYDIS_REGISTER_SS &&
            (operand->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE))
            return true;
    }
    return false;
}

static uint8_t code_of(const struct instruction *instruction)
{
    if (instruction->it.meta.category == ZYDIS_CATEGORY_CALL)
        return INSN_CALL_OR_REPEATED;
    if (leaves(instruction) || !accesses_data(instruction))
        return INSN_PLAIN;
    return instruction->it.attributes & REPEATED ? INSN_CALL_OR_REPEATED : INSN_ACCESS;
}

static bool is_padding(const struct instruction *instruction)
{
    return instruction->it.mnemonic == ZYDIS_MNEMONIC_NOP ||
           instruction->it.mnemonic == ZYDIS_MNEMONIC_INT3;
}

static void note_target(const struct instruction *instruction, struct decoded *decoded)
{
    if (instruction->it.raw.imm[0].is_relative) {
        decoded->has_target = true;
        decoded->target = instruction->it.raw.imm[0].value.s + instruction->it.length;
    }
}

const char *decode(const uint8_t *bytes, size_t left, struct decoded *decoded)
{
    struct instruction instruction;
    ZydisDecoder decoder;

    if (!ZYAN_SUCCESS(
            ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64)) ||
        !ZYAN_SUCCESS(
            ZydisDecoderDecodeFull(&decoder, bytes, left, &instruction.it, instruction.operands)))
        return "no instruction";
    *decoded = (struct decoded){
        .length = instruction.it.length,
        .code = code_of(&instruction),
        .padding = is_padding(&instruction),
    };
    note_target(&instruction, decoded);
    if (decoded->code == INSN_CALL_OR_REPEATED &&
        insn_has_repeat(bytes, left) == (instruction.it.meta.category == ZYDIS_CATEGORY_CALL))
        return "a repeat prefix behind REX, or before a call";
    if (loads_ss(&instruction) && accesses_data(&instruction))
        return "ss loaded from memory, which holds a debug trap back by one instruction";
    return NULL;
}
