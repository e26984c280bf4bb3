/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Segments and the task state segment. Source: Intel SDM vol. 3, "Segment Descriptors" and "Task
 * Management in 64-bit Mode". Selector 0x18 is empty: `sysret` would look for 32-bit code there.
 */
#pragma once

#include <stdint.h>

#define TSS_SELECTOR 0x30

/* The operand of LGDT, SGDT, LIDT and SIDT. */
struct table_pointer {
    uint16_t limit;
    uint64_t base;
} __attribute__((packed));

struct gdt {
    uint64_t entry[8];
};

struct tss {
    uint32_t reserved0;
    uint64_t rsp[3];
    uint64_t reserved1;
    uint64_t ist[7]; /* ist[0] is IST1 */
    uint64_t reserved2;
    uint16_t reserved3;
    uint16_t io_map_base;
} __attribute__((packed));

_Static_assert(sizeof(struct tss) == 104, "Intel SDM vol. 3, 64-Bit TSS Format");

/* Fills gdt and tss; loads GDTR, segment registers and TR of this CPU. */
void gdt_load(struct gdt *gdt, struct tss *tss);
