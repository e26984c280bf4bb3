/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Segments and the task state segment. Source: Intel SDM vol. 3, "Segment Descriptors" and "Task
 * Management in 64-bit Mode".
 *
 *   selector  descriptor
 *   0x00      null
 *   0x08      kernel code, 64-bit          KERNEL_CODE_SELECTOR
 *   0x10      kernel data                  KERNEL_DATA_SELECTOR
 *   0x18      none: where `sysret` would look for 32-bit code
 *   0x20      a program's data             USER_DATA_SELECTOR
 *   0x28      a program's code, 64-bit     USER_CODE_SELECTOR
 *   0x30      task state segment (two entries)
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

/* Fills gdt and tss, and loads GDTR, the segment registers and TR of this CPU. */
void gdt_load(struct gdt *gdt, struct tss *tss);
