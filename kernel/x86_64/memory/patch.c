/* SPDX-License-Identifier: BSD-2-Clause */
/* Turns sites on and off through a second mapping, as text is never writable where it runs. */
#include <linux/errno.h>

#include "arch/memory.h"
#include "arch/park.h"
#include "arch/patch.h"
#include "kernel/x86_64/memory/image.h"
#include "kernel/x86_64/memory/paging.h"

#define SITE_SIZE 5
#define JMP_REL32 0xe9

/* Five bytes of code and the next three, which the same store rewrites unchanged. */
union site_code {
    uint64_t word;
    uint8_t bytes[sizeof(uint64_t)];
};

/* Eight bytes of any type, at any address. */
struct site_word {
    volatile uint64_t value;
} __attribute__((packed, may_alias));

static const uint8_t nop[SITE_SIZE] = {0x0f, 0x1f, 0x44, 0x00, 0x00};

/* The distance is from the jump's end (Intel SDM vol. 2, "JMP"). */
static void make_jump(uint8_t *code, const struct arch_site *site)
{
    uint32_t distance = (uint32_t)(site->target - (site->address + SITE_SIZE));

    code[0] = JMP_REL32;
    __builtin_memcpy(code + 1, &distance, sizeof(distance));
}

static bool stands_at(const struct arch_site *site, const uint8_t *code)
{
    return __builtin_memcmp((const void *)site->address, code, SITE_SIZE) == 0;
}

/*
 * One store, so this CPU cannot see half of it: interrupts are off, debug traps and NMIs arrive
 * between instructions, and all other CPUs are parked. INVLPG and the IRET by which the others
 * resume serialise, so the new bytes are fetched next (Intel SDM vol. 3, "Handling Self- and
 * Cross-Modifying Code", "Serializing Instructions").
 */
static void text_write(uintptr_t address, const uint8_t *code, size_t length)
{
    uint8_t *alias = paging_alias_open(address & ~(PAGE_SIZE - 1));
    struct site_word *place = (struct site_word *)(alias + address % PAGE_SIZE);
    union site_code patched = {.word = place->value};

    __builtin_memcpy(patched.bytes, code, length);
    place->value = patched.word;
    paging_alias_close();
}

void patch_byte(uintptr_t address, uint8_t byte)
{
    text_write(address, &byte, 1);
}

int arch_site_set(const struct arch_site *site, bool on)
{
    uint8_t jump[SITE_SIZE];
    const uint8_t *wanted = on ? jump : nop, *expected = on ? nop : jump;
    unsigned absent;

    if (site->address < (uintptr_t)_text || site->address > (uintptr_t)_etext - sizeof(uint64_t))
        return -EINVAL;
    make_jump(jump, site);
    if (stands_at(site, wanted))
        return 0;
    if (!stands_at(site, expected))
        return -EINVAL;
    if (!arch_cpus_park(&absent))
        return -ETIMEDOUT;
    text_write(site->address, wanted, SITE_SIZE);
    arch_cpus_release();
    return 0;
}
