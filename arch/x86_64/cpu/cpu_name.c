/* SPDX-License-Identifier: BSD-2-Clause */
/* CPU name and model. Source: Intel SDM vol. 2, "CPUID". Task and crash context. */
#include <stdint.h>

#include "arch/cpu.h"
#include "arch/x86_64/cpu/cpu.h"

#define LEAF_MAKER       0
#define LEAF_VERSION     1
#define LEAF_BRAND_FIRST 0x80000002u
#define LEAF_BRAND_LAST  0x80000004u
#define BRAND_LEAVES     (LEAF_BRAND_LAST - LEAF_BRAND_FIRST + 1)

const char *arch_cpu_name(void)
{
    static union {
        struct cpuid leaf[BRAND_LEAVES];
        char text[BRAND_LEAVES * sizeof(struct cpuid) + 1];
    } brand; /* always the same string, so it may be written twice */
    const char *from = brand.text;

    if (cpu_id(CPUID_EXTENDED, 0).eax < LEAF_BRAND_LAST)
        return ARCH_NAME;
    for (uint32_t leaf = LEAF_BRAND_FIRST; leaf <= LEAF_BRAND_LAST; leaf++)
        brand.leaf[leaf - LEAF_BRAND_FIRST] = cpu_id(leaf, 0);
    while (*from == ' ') /* Intel right-aligns the name */
        from++;
    return *from ? from : ARCH_NAME;
}

/* Families from 6 on have four more model bits, family 15 has eight more family bits. */
struct arch_cpu_kind arch_cpu_kind(void)
{
    struct cpuid first = cpu_id(LEAF_MAKER, 0);
    uint32_t version = cpu_id(LEAF_VERSION, 0).eax;
    struct arch_cpu_kind kind = {
        .family = version >> 8 & 0xf, .model = version >> 4 & 0xf, .stepping = version & 0xf};

    __builtin_memcpy(kind.maker, &first.ebx, sizeof(first.ebx));
    __builtin_memcpy(kind.maker + 4, &first.edx, sizeof(first.edx));
    __builtin_memcpy(kind.maker + 8, &first.ecx, sizeof(first.ecx));
    if (kind.family == 15)
        kind.family += version >> 20 & 0xff;
    if (kind.family >= 6)
        kind.model += (version >> 16 & 0xf) << 4;
    return kind;
}
