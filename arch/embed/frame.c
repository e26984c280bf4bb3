/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The order in which a kernel's trap entries push registers, `frame` of struct pitot_kernel, and
 * the registers of such a frame as Pitot's. Parsed at boot; then any context.
 */
#include "arch/embed.h"

#include <stddef.h>

#include "arch/x86_64/cpu/cpu.h"
#include "core/host.h"

#define WORDS     (sizeof(struct regs) / sizeof(uint64_t))
#define CPU_FIRST (offsetof(struct regs, ip) / sizeof(uint64_t))
#define NAME_SIZE 6
#define REGISTERS "r8 to r15, ax, bx, cx, dx, si, di, bp, ip, cs, flags, sp" /* and ss */

static const char names[WORDS][NAME_SIZE] = {"r15", "r14", "r13", "r12",   "bp", "bx", "r11", "r10",
                                             "r9",  "r8",  "ax",  "cx",    "dx", "si", "di",  "",
                                             "",    "ip",  "cs",  "flags", "sp", "ss"};

_Static_assert(offsetof(struct regs, bx) == 5 * sizeof(uint64_t) &&
                   offsetof(struct regs, di) == 14 * sizeof(uint64_t) &&
                   offsetof(struct regs, ip) == 17 * sizeof(uint64_t) &&
                   offsetof(struct regs, ss) == 21 * sizeof(uint64_t),
               "registers in this order");

/*
 * place[i]: which word of the kernel's frame has the register; the CPU pushes `ip` and what
 * follows.
 */
static uint8_t place[WORDS];

static unsigned size; /* of a frame, in bytes */

static bool is_name(const char *name, const char *word, size_t length)
{
    size_t i = 0;

    while (i < length && name[i] == word[i])
        i++;
    return i == length && length > 0 && name[i] == '\0';
}

/* Returns the register of that name, or WORDS. */
static size_t find(const char *word, size_t length)
{
    size_t i = 0;

    while (i < WORDS && !is_name(names[i], word, length))
        i++;
    return i;
}

const char *arch_embed_frame_init(void)
{
    uint32_t found = 0;
    unsigned words = 0;

    if (!host.frame)
        return NULL;
    for (const char *at = host.frame; *at; words++) {
        size_t length = 0, i;

        while (at[length] && at[length] != ' ')
            length++;
        i = find(at, length);
        if ((i == WORDS && !is_name("-", at, length)) || words > UINT8_MAX)
            return "frame of struct pitot_kernel: only " REGISTERS
                   ", ss and - are allowed, with a blank between two";
        if (i < WORDS && found & 1u << i)
            return "frame of struct pitot_kernel has a register twice";
        if (i < WORDS) {
            place[i] = (uint8_t)words;
            found |= 1u << i;
        }
        at += length;
        at += *at == ' ';
    }
    size = words * sizeof(uint64_t);
    for (size_t i = 0; i < WORDS; i++)
        if (names[i][0] && !(found & 1u << i))
            return "frame of struct pitot_kernel lacks a register: " REGISTERS " and ss are needed";
    for (size_t i = CPU_FIRST + 1; i < WORDS; i++)
        if (place[i] != place[i - 1] + 1)
            return "frame of struct pitot_kernel: the CPU's words lie as `ip cs flags sp ss`, "
                   "upwards";
    return NULL;
}

unsigned arch_embed_frame_size(void)
{
    return size;
}

/* Distance of the register at `offset` in struct regs from the frame's beginning, in bytes. */
static unsigned distance(size_t offset)
{
    return place[offset / sizeof(uint64_t)] * sizeof(uint64_t);
}

unsigned arch_embed_frame_ip(void)
{
    return distance(offsetof(struct regs, ip));
}

unsigned arch_embed_frame_bp(void)
{
    return distance(offsetof(struct regs, bp));
}

uint64_t arch_embed_word(const void *frame, size_t offset)
{
    return *(const uint64_t *)((const char *)frame + distance(offset));
}

bool arch_embed_is_frame(const void *frame)
{
    uint64_t cs = arch_embed_word(frame, offsetof(struct regs, cs));
    uint16_t selector;

    __asm__("movw %%cs, %0" : "=r"(selector));
    return arch_embed_word(frame, offsetof(struct regs, flags)) & FLAGS_FIXED &&
           (cs & RING_OF_SELECTOR ? cs <= UINT16_MAX : cs == selector);
}

/* Pitot's selectors only distinguish a program from the kernel. */
uint64_t arch_embed_selector(uint64_t cs)
{
    return cs & RING_OF_SELECTOR ? USER_CODE_SELECTOR : KERNEL_CODE_SELECTOR;
}

struct regs arch_embed_regs(const void *frame)
{
    const uint64_t *from = frame;
    struct regs regs = {.vector = 0, .error = 0};
    uint64_t *to = (uint64_t *)&regs;

    for (size_t i = 0; i < WORDS; i++)
        if (names[i][0])
            to[i] = from[place[i]];
    regs.error = regs.cs; /* for stop_code_selector */
    regs.cs = arch_embed_selector(regs.cs);
    return regs;
}

void arch_embed_regs_return(const struct regs *from, void *frame)
{
    const uint64_t *words = (const uint64_t *)from;
    uint64_t *to = frame;

    for (size_t i = 0; i < WORDS; i++)
        if (names[i][0] && i != offsetof(struct regs, cs) / sizeof(uint64_t))
            to[place[i]] = words[i];
}

void arch_embed_flags_return(const struct regs *from, void *frame)
{
    *(uint64_t *)((char *)frame + distance(offsetof(struct regs, flags))) = from->flags;
}
