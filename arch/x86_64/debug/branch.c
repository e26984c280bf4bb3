/* SPDX-License-Identifier: BSD-2-Clause */
/* See branch.h. */
#include "arch/x86_64/debug/branch.h"

#define REX      0x40 /* 0x40 to 0x4f */
#define REPNE    0xf2
#define REPE     0xf3
#define TWO_BYTE 0x0f

/* Segment, size, lock and repeat prefixes: hints before a branch, or without effect. */
static bool is_prefix(uint8_t byte)
{
    return (byte & 0xe7) == 0x26 || (byte >= 0x64 && byte <= 0x67) || byte == 0xf0 ||
           byte == 0xf2 || byte == 0xf3 || (byte & 0xf0) == REX;
}

unsigned branch_modrm_length(const uint8_t *modrm, bool more)
{
    unsigned mode = modrm[0] >> 6, base = modrm[0] & 7, length = 1;

    if (mode == 3)
        return length;
    if (base == 4) {
        base = more ? modrm[1] & 7 : 0;
        length++;
    }
    if (mode == 0)
        return length + (base == 5 ? 4 : 0);
    return length + (mode == 1 ? 1 : 4);
}

/* Judges opcode 0f `second` after `before` prefixes. Displacements always have 32 bits. */
static struct branch judge_two_byte(uint8_t second, unsigned before)
{
    if ((second & 0xf0) == 0x80) /* jcc */
        return (struct branch){BRANCH_CONDITIONAL, before + 2 + 4};
    if (second == 0x05 || second == 0x07 || second == 0x34 || second == 0x35)
        return (struct branch){BRANCH_ALWAYS, 0}; /* syscall, sysret, sysenter, sysexit */
    return (struct branch){BRANCH_NONE, 0};
}

unsigned branch_prefixes(const uint8_t *instruction)
{
    unsigned before = 0;

    while (before < BRANCH_BYTES - 2 && is_prefix(instruction[before]))
        before++;
    return before;
}

/* QEMU's `pause` leaves its block of code without the trap. The last prefix of two counts. */
static bool is_pause(const uint8_t *prefix, unsigned count)
{
    uint8_t repeat = 0;

    for (unsigned i = 0; i < count; i++)
        if (prefix[i] == REPE || prefix[i] == REPNE)
            repeat = prefix[i];
    return repeat == REPE;
}

struct branch branch_judge(const uint8_t *instruction)
{
    unsigned before = branch_prefixes(instruction);
    const uint8_t *opcode = instruction + before;
    unsigned reg = opcode[1] >> 3 & 7;

    switch (opcode[0]) {
    case 0x70 ... 0x7f: /* jcc */
    case 0xe0 ... 0xe3: /* loopne, loope, loop, jrcxz */
        return (struct branch){BRANCH_CONDITIONAL, before + 2};
    case 0xe8 ... 0xe9: /* call, jmp */
    case 0xeb:          /* jmp */
    case 0xc2 ... 0xc3: /* ret */
    case 0xca ... 0xcb: /* far ret */
    case 0xcf:          /* iret */
        return (struct branch){BRANCH_ALWAYS, 0};
    case 0xff: /* /2 call, /3 far call, /4 jmp, /5 far jmp */
        return (struct branch){reg >= 2 && reg <= 5 ? BRANCH_ALWAYS : BRANCH_NONE, 0};
    case 0x90:
        return is_pause(instruction, before) ? (struct branch){BRANCH_SHADOW, before + 1}
                                             : (struct branch){BRANCH_NONE, 0};
    case 0xfb: /* sti */
        return (struct branch){BRANCH_SHADOW, before + 1};
    case 0x8e: /* /2 loads ss */
        if (reg != 2)
            return (struct branch){BRANCH_NONE, 0};
        return (struct branch){
            BRANCH_SHADOW, before + 1 + branch_modrm_length(opcode + 1, before + 2 < BRANCH_BYTES)};
    case TWO_BYTE:
        return judge_two_byte(opcode[1], before);
    default:
        return (struct branch){BRANCH_NONE, 0};
    }
}

unsigned branch_shadow(const uint8_t *bytes, uintptr_t from, uintptr_t to)
{
    struct branch branch = branch_judge(bytes);

    return branch.kind == BRANCH_SHADOW && branch.length <= BRANCH_BYTES &&
                   to != from + branch.length
               ? branch.length
               : 0;
}

/* A conditional branch to the next instruction does not count. */
int branch_taken(const uint8_t *bytes, uintptr_t from, uintptr_t to)
{
    unsigned at = branch_shadow(bytes, from, to);
    struct branch branch = branch_judge(bytes + at);

    if (branch.kind == BRANCH_ALWAYS ||
        (branch.kind == BRANCH_CONDITIONAL && to != from + at + branch.length))
        return (int)at;
    return -1;
}
