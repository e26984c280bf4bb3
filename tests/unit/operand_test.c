/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What an instruction has accessed, against Zydis: every opcode of one and two bytes with every
 * ModRM byte, under the prefixes that compilers use, with random registers, of which the
 * instruction changes those that it writes. The decoder may answer "unknown", but no answer may be
 * wrong.
 *
 * libs: -lZydis
 */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include <Zydis/Zydis.h>

#include "arch/x86_64/debug/operand.h"
#include "tests/unit/random.h"

#define LENGTH_MAX 15
#define GENERAL    16

struct instruction {
    ZydisDecodedInstruction it;
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT]; /* including hidden ones */
    uint8_t bytes[LENGTH_MAX + 16];
};

static ZydisDecoder decoder;
static unsigned long compared, known, placed, placed_later, measured;

static uint64_t *general(struct regs *regs, unsigned number)
{
    uint64_t *const places[GENERAL] = {&regs->ax,  &regs->cx,  &regs->dx,  &regs->bx,
                                       &regs->sp,  &regs->bp,  &regs->si,  &regs->di,
                                       &regs->r8,  &regs->r9,  &regs->r10, &regs->r11,
                                       &regs->r12, &regs->r13, &regs->r14, &regs->r15};

    return places[number];
}

/* -1: not one of the sixteen. */
static int number_of(ZydisRegister name)
{
    ZydisRegister whole = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, name);

    return ZydisRegisterGetClass(whole) == ZYDIS_REGCLASS_GPR64 ? ZydisRegisterGetId(whole) : -1;
}

/*
 * Zydis ignores a register that holds the bit's number: it moves the operand by floor(number /
 * bits) words, as the manual says.
 */
static uint64_t bit_offset(const struct instruction *instruction, struct regs *before)
{
    const ZydisDecodedOperand *bit = &instruction->operands[1];
    int64_t number, bits = instruction->it.operand_width;

    if (instruction->it.meta.category != ZYDIS_CATEGORY_BITBYTE ||
        bit->type != ZYDIS_OPERAND_TYPE_REGISTER || instruction->it.operand_count_visible != 2 ||
        instruction->it.mnemonic == ZYDIS_MNEMONIC_BSF ||
        instruction->it.mnemonic == ZYDIS_MNEMONIC_BSR)
        return 0;
    number = (int64_t)*general(before, (unsigned)number_of(bit->reg.value));
    if (bits == 16)
        number = (int16_t)number;
    else if (bits == 32)
        number = (int32_t)number;
    return (uint64_t)((number - (number % bits + bits) % bits) / bits * (bits / 8));
}

/*
 * The accesses for which Zydis computes an address: an access in the kernel can only be one of
 * them.
 */
static unsigned accesses_of(const struct instruction *instruction, struct regs *before,
                            struct arch_made *made)
{
    ZydisRegisterContext context = {0};
    unsigned count = 0;

    for (unsigned i = 0; i < GENERAL; i++)
        context.values[ZYDIS_REGISTER_RAX + i] = *general(before, i);
    for (unsigned i = 0; i < instruction->it.operand_count; i++) {
        const ZydisDecodedOperand *operand = &instruction->operands[i];
        ZyanU64 address = 0;

        if (operand->type != ZYDIS_OPERAND_TYPE_MEMORY || operand->actions == 0)
            continue;
        ZydisCalcAbsoluteAddressEx(&instruction->it, operand, (uintptr_t)instruction->bytes,
                                   &context, &address);
        /* Zydis uses rsp before a push, which writes below it. */
        if (operand->visibility == ZYDIS_OPERAND_VISIBILITY_HIDDEN &&
            operand->mem.base == ZYDIS_REGISTER_RSP &&
            operand->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE)
            address -= operand->size / 8;
        /* ... and before a pop, whose operand is addressed by rsp after it. */
        if (instruction->it.mnemonic == ZYDIS_MNEMONIC_POP &&
            operand->visibility == ZYDIS_OPERAND_VISIBILITY_EXPLICIT &&
            operand->mem.base == ZYDIS_REGISTER_RSP)
            address += sizeof(uint64_t);
        address += bit_offset(instruction, before);
        made[count++] =
            (struct arch_made){.address = address,
                               .size = (uint8_t)(operand->size / 8),
                               .reads = operand->actions & ZYDIS_OPERAND_ACTION_MASK_READ,
                               .writes = operand->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE};
    }
    return count;
}

static int64_t element_size(const struct instruction *instruction)
{
    for (unsigned i = 0; i < instruction->it.operand_count; i++)
        if (instruction->operands[i].type == ZYDIS_OPERAND_TYPE_MEMORY)
            return instruction->operands[i].size / 8;
    return 0;
}

/* Pointers move as the instruction moves them; other written registers get random values. */
static void execute(const struct instruction *instruction, const struct regs *before,
                    struct regs *after)
{
    int64_t step = before->flags & FLAGS_DIRECTION ? -1 : 1;

    *after = *before;
    for (unsigned i = 0; i < instruction->it.operand_count; i++) {
        const ZydisDecodedOperand *operand = &instruction->operands[i];
        int number =
            operand->type == ZYDIS_OPERAND_TYPE_REGISTER ? number_of(operand->reg.value) : -1;

        if (number >= 0 && operand->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE)
            *general(after, (unsigned)number) = random_word();
    }
    if (instruction->it.meta.category == ZYDIS_CATEGORY_STRINGOP ||
        instruction->it.meta.category == ZYDIS_CATEGORY_IOSTRINGOP) {
        after->si = before->si + (uint64_t)(step * element_size(instruction));
        after->di = before->di + (uint64_t)(step * element_size(instruction));
    }
    if (instruction->it.mnemonic == ZYDIS_MNEMONIC_LEAVE)
        after->sp = before->bp + 8;
    else if (instruction->it.meta.category == ZYDIS_CATEGORY_PUSH)
        after->sp = before->sp - 8;
    else if (instruction->it.meta.category == ZYDIS_CATEGORY_POP && instruction->bytes[0] != 0x5c)
        after->sp = before->sp + 8;
}

static bool is_same(const struct arch_made *ours, const struct arch_made *theirs)
{
    return ours->size == theirs->size && ours->reads == theirs->reads &&
           ours->writes == theirs->writes && (!ours->placed || ours->address == theirs->address);
}

/* Compilers never emit it: a REX prefix that is not the last prefix has no effect. */
static bool rex_is_void(const struct instruction *instruction)
{
    for (unsigned i = 1; i < instruction->it.raw.prefix_count; i++)
        if ((instruction->bytes[i - 1] & REX_MASK) == REX)
            return true;
    return false;
}

/* Instructions that a program here can execute, and that end where the next one to run begins. */
static bool is_measured(const struct instruction *instruction)
{
    if (rex_is_void(instruction) || instruction->it.mnemonic == ZYDIS_MNEMONIC_UD0 ||
        instruction->it.mnemonic == ZYDIS_MNEMONIC_UD1)
        return false;
    switch (instruction->it.meta.isa_ext) {
    case ZYDIS_ISA_EXT_BASE:
    case ZYDIS_ISA_EXT_LONGMODE:
    case ZYDIS_ISA_EXT_MOVBE:
        break;
    default:
        return false;
    }
    switch (instruction->it.meta.category) {
    case ZYDIS_CATEGORY_X87_ALU:
    case ZYDIS_CATEGORY_SYSTEM:
    case ZYDIS_CATEGORY_SYSCALL:
    case ZYDIS_CATEGORY_SYSRET:
    case ZYDIS_CATEGORY_SEGOP:
        return false;
    default:
        return true;
    }
}

static void compare_length(const struct instruction *instruction, bool accesses)
{
    unsigned length = operand_length(instruction->bytes);

    measured += length > 0;
    if (length == instruction->it.length || (length == 0 && !accesses))
        return;
    if (length == 0 && !is_measured(instruction))
        return;
    fail_msg("%02x %02x %02x %02x %02x: %s: %u bytes for %u", instruction->bytes[0],
             instruction->bytes[1], instruction->bytes[2], instruction->bytes[3],
             instruction->bytes[4], ZydisMnemonicGetString(instruction->it.mnemonic), length,
             instruction->it.length);
}

static void compare(const struct instruction *instruction)
{
    struct arch_made ours[ARCH_MADE_MAX], theirs[8];
    struct regs before = {.flags = random_word() & FLAGS_DIRECTION}, after;
    unsigned count, expected;

    for (unsigned i = 0; i < GENERAL; i++)
        *general(&before, i) = random_word();
    execute(instruction, &before, &after);
    expected = accesses_of(instruction, &before, theirs);
    compare_length(instruction, expected > 0);
    if (!expected)
        return;
    count = operand_made((uintptr_t)instruction->bytes,
                         (uintptr_t)instruction->bytes + instruction->it.length, &after, ours);
    compared++;
    if (!count)
        return;
    if (count == 1 && !ours[0].placed && expected == 1) {
        struct arch_made later = ours[0];

        operand_place((uintptr_t)instruction->bytes,
                      (uintptr_t)instruction->bytes + instruction->it.length, &before, &later);
        if (later.placed && !is_same(&later, &theirs[0]))
            fail_msg("%02x %02x %02x: placed at %lx, not %lx", instruction->bytes[0],
                     instruction->bytes[1], instruction->bytes[2], (unsigned long)later.address,
                     (unsigned long)theirs[0].address);
        placed_later += later.placed;
    }
    known++;
    placed += ours[0].placed;
    if (count == expected && is_same(&ours[0], &theirs[0]) &&
        (count == 1 || is_same(&ours[1], &theirs[1])))
        return;
    if (count == expected && count == 2 && is_same(&ours[0], &theirs[1]) &&
        is_same(&ours[1], &theirs[0]))
        return;
    fail_msg("%02x %02x %02x %02x %02x: %s: %u of %u accesses, %lx/%u%s%s%s for %lx/%u%s%s",
             instruction->bytes[0], instruction->bytes[1], instruction->bytes[2],
             instruction->bytes[3], instruction->bytes[4],
             ZydisMnemonicGetString(instruction->it.mnemonic), count, expected,
             (unsigned long)ours[0].address, ours[0].size, ours[0].reads ? " r" : "",
             ours[0].writes ? " w" : "", ours[0].placed ? " placed" : "",
             (unsigned long)theirs[0].address, theirs[0].size, theirs[0].reads ? " r" : "",
             theirs[0].writes ? " w" : "");
}

/* Instructions that are accesses in the map: no jumps, no hints, no 32-bit addresses. */
static bool concerns(const struct instruction *instruction)
{
    switch (instruction->it.meta.category) {
    case ZYDIS_CATEGORY_CALL:
    case ZYDIS_CATEGORY_RET:
    case ZYDIS_CATEGORY_UNCOND_BR:
    case ZYDIS_CATEGORY_COND_BR:
    case ZYDIS_CATEGORY_INTERRUPT:
    case ZYDIS_CATEGORY_NOP:
    case ZYDIS_CATEGORY_WIDENOP:
    case ZYDIS_CATEGORY_PREFETCH:
        return false;
    default:
        return instruction->it.address_width == 64;
    }
}

static void try(const uint8_t *prefixes, unsigned prefix_count, bool two, uint8_t opcode,
                uint8_t modrm)
{
    struct instruction instruction;
    unsigned length = 0;

    for (unsigned i = 0; i < sizeof(instruction.bytes); i++)
        instruction.bytes[i] = (uint8_t)random_word();
    memcpy(instruction.bytes, prefixes, prefix_count);
    length = prefix_count;
    if (two)
        instruction.bytes[length++] = 0x0f;
    instruction.bytes[length++] = opcode;
    instruction.bytes[length] = modrm;
    if (ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, instruction.bytes, LENGTH_MAX,
                                            &instruction.it, instruction.operands)) &&
        concerns(&instruction))
        compare(&instruction);
}

static void what_is_known_is_so(void **state)
{
    static const struct {
        uint8_t bytes[3];
        unsigned count;
    } prefixes[] = {{{0}, 0},         {{0x66}, 1},       {{0x65}, 1},       {{0xf0}, 1},
                    {{0x40}, 1},      {{0x41}, 1},       {{0x42}, 1},       {{0x44}, 1},
                    {{0x48}, 1},      {{0x4f}, 1},       {{0x66, 0x45}, 2}, {{0xf0, 0x48}, 2},
                    {{0xf3}, 1},      {{0xf3, 0x48}, 2}, {{0xf2}, 1},       {{0x65, 0x48}, 2},
                    {{0x66, 0x48}, 2}};

    (void)state;
    ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
        for (unsigned opcode = 0; opcode < 512; opcode++)
            for (unsigned modrm = 0; modrm < 256; modrm++)
                try(prefixes[i].bytes, prefixes[i].count, opcode >= 256, (uint8_t)opcode,
                    (uint8_t)modrm);
    print_message("%lu compared, %lu known, %lu placed, %lu measured\n", compared, known, placed,
                  measured);
    assert_true(known > 100000 && placed > known / 2 && measured > known);
    assert_true(placed_later > 1000);
}

/* The most common forms in the kernel: everything about them is known, including the place. */
#define MADE(at, bytes, does_read, does_write)                                                     \
    {                                                                                              \
        .address = at, .size = bytes, .placed = true, .reads = does_read, .writes = does_write     \
    }

static void plain_forms_are_placed(void **state)
{
    static const struct {
        uint8_t bytes[8], length;
        struct arch_made made;
    } forms[] = {
        {{0x89, 0x43, 0x10}, 3, MADE(0x1010, 4, false, true)},          /* mov %eax,0x10(%rbx) */
        {{0x48, 0x8b, 0x43, 0x08}, 4, MADE(0x1008, 8, true, false)},    /* mov 8(%rbx),%rax */
        {{0x87, 0x43, 0x04}, 3, MADE(0x1004, 4, true, true)},           /* xchg */
        {{0xf0, 0x0f, 0xb1, 0x0b}, 4, MADE(0x1000, 4, true, true)},     /* lock cmpxchg */
        {{0xc6, 0x44, 0x8b, 0x01, 7}, 5, MADE(0x1009, 1, false, true)}, /* movb $7,1(%rbx,%rcx,4) */
        {{0x83, 0x3b, 0x00}, 3, MADE(0x1000, 4, true, false)},          /* cmpl $0,(%rbx) */
        {{0x83, 0x03, 0x01}, 3, MADE(0x1000, 4, true, true)},           /* addl $1,(%rbx) */
        {{0x0f, 0xb6, 0x03}, 3, MADE(0x1000, 1, true, false)},          /* movzbl (%rbx),%eax */
        {{0x53}, 1, MADE(0x2000, 8, false, true)},                      /* push %rbx */
        {{0x5b}, 1, MADE(0x1ff8, 8, true, false)},                      /* pop %rbx */
    };

    (void)state;
    for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
        struct regs regs = {.bx = 0x1000, .cx = 2, .sp = 0x2000};
        struct arch_made made[ARCH_MADE_MAX];
        uintptr_t at = (uintptr_t)forms[i].bytes;

        assert_int_equal(operand_made(at, at + forms[i].length, &regs, made), 1);
        assert_true(made[0].placed && is_same(&made[0], &forms[i].made));
    }
}

/* mov (%rbx),%rbx: the address is lost, but it is known to be a read. */
static void a_pointer_that_was_loaded_over_leaves_the_kind(void **state)
{
    static const uint8_t bytes[8] = {0x48, 0x8b, 0x1b};
    struct regs before = {.bx = 0x3000}, regs = {.bx = 0x1000};
    struct arch_made made[ARCH_MADE_MAX];

    (void)state;
    assert_int_equal(operand_made((uintptr_t)bytes, (uintptr_t)bytes + 3, &regs, made), 1);
    assert_false(made[0].placed);
    assert_true(made[0].reads);
    assert_false(made[0].writes);
    operand_place((uintptr_t)bytes, (uintptr_t)bytes + 3, &before, &made[0]);
    assert_true(made[0].placed && made[0].address == 0x3000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_known_is_so),
        cmocka_unit_test(plain_forms_are_placed),
        cmocka_unit_test(a_pointer_that_was_loaded_over_leaves_the_kind),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
