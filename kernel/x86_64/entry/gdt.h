/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Segments and the task state segment. Source: Intel SDM vol. 3, "Segment Descriptors". Selector
 * 0x18 is empty: `sysret` would look for 32-bit code there.
 */
#pragma once

#include "arch/x86_64/entry/descriptors.h"

#define TSS_SELECTOR 0x30

struct gdt {
    uint64_t entry[8];
};

/* Fills gdt and tss; loads GDTR, segment registers and TR of this CPU. */
void gdt_load(struct gdt *gdt, struct tss *tss);
