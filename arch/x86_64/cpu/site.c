/* SPDX-License-Identifier: BSD-2-Clause */
/* See arch/site.h. Task context; arch_text_write also in a debugger's stop. */
#include "arch/site.h"

#include <linux/errno.h>

#include "arch/cpu.h"
#include "arch/memory.h"

/* The code and what follows it, which the same store rewrites unchanged. */
union word {
    uint64_t all;
    uint8_t bytes[sizeof(uint64_t)];
};

/* Eight bytes of any type, at any address. */
struct place {
    volatile uint64_t all;
} __attribute__((packed, may_alias));

/*
 * One store, so this CPU cannot see half of it: interrupts are off, debug traps and NMIs arrive
 * between instructions, and all other CPUs are parked. What closes the text (INVLPG, a load of CR0)
 * and the IRET by which the others resume serialise, so the new bytes are fetched next (Intel SDM
 * vol. 3, "Handling Self- and Cross-Modifying Code", "Serializing Instructions").
 */
void arch_text_write(uintptr_t address, const uint8_t *code, size_t length)
{
    struct place *place = (struct place *)arch_text_open(address);
    union word patched = {.all = place->all};

    __builtin_memcpy(patched.bytes, code, length);
    place->all = patched.all;
    arch_text_close();
}

#define SITE_SIZE 5
#define JMP_REL32 0xe9

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

int arch_site_set(const struct arch_site *site, bool on)
{
    uint8_t jump[SITE_SIZE];
    const uint8_t *wanted = on ? jump : nop, *expected = on ? nop : jump;
    unsigned absent;

    if (site->address < arch_text_start() || site->address > arch_text_end() - sizeof(uint64_t))
        return -EINVAL;
    make_jump(jump, site);
    if (stands_at(site, wanted))
        return 0;
    if (!stands_at(site, expected))
        return -EINVAL;
    if (!arch_cpus_park(&absent))
        return -ETIMEDOUT;
    arch_text_write(site->address, wanted, SITE_SIZE);
    arch_cpus_release();
    return 0;
}
