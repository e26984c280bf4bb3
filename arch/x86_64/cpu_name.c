/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the CPU calls itself, for the head of the stream. Task and crash context.
 * Source: Intel SDM vol. 2, "CPUID", "The Processor Brand String Method".
 */
#include <stdint.h>

#include "arch/arch.h"
#include "arch/x86_64/cpu.h"

#define LEAF_EXTENDED_LAST 0x80000000u
#define LEAF_BRAND_FIRST   0x80000002u
#define LEAF_BRAND_LAST    0x80000004u
#define BRAND_LEAVES       (LEAF_BRAND_LAST - LEAF_BRAND_FIRST + 1)

const char *arch_cpu_name(void)
{
    static union {
        struct cpuid leaf[BRAND_LEAVES];
        char text[BRAND_LEAVES * sizeof(struct cpuid) + 1];
    } brand; /* always the same text, so it may be written twice */
    const char *from = brand.text;

    if (cpu_id(LEAF_EXTENDED_LAST, 0).eax < LEAF_BRAND_LAST)
        return ARCH_NAME;
    for (uint32_t leaf = LEAF_BRAND_FIRST; leaf <= LEAF_BRAND_LAST; leaf++)
        brand.leaf[leaf - LEAF_BRAND_FIRST] = cpu_id(leaf, 0);
    while (*from == ' ') /* Intel's stand at the right */
        from++;
    return *from ? from : ARCH_NAME;
}
