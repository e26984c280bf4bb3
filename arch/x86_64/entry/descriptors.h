/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Layouts of descriptor tables. Source: Intel SDM vol. 3, "64-Bit Mode IDT" and "Task Management in
 * 64-bit Mode".
 */
#pragma once

#include <stdint.h>

#define VECTORS 256

/* The operand of LGDT, SGDT, LIDT and SIDT. */
struct table_pointer {
    uint16_t limit;
    uint64_t base;
} __attribute__((packed));

struct gate {
    uint16_t offset_low, selector;
    uint8_t ist, type;
    uint16_t offset_middle;
    uint32_t offset_high, reserved;
};

_Static_assert(sizeof(struct gate) == 16, "a 64-bit gate is 16 bytes");

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
