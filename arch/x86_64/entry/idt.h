/* SPDX-License-Identifier: BSD-2-Clause */
/* The interrupt descriptor table: each vector on its IST page (arch/x86_64/entry/stacks.h). */
#pragma once

#include <stdint.h>

#define VECTORS 256

struct gate {
    uint16_t offset_low, selector;
    uint8_t ist, type;
    uint16_t offset_middle;
    uint32_t offset_high, reserved;
};

_Static_assert(sizeof(struct gate) == 16, "a 64-bit gate is 16 bytes");

/* idt_init fills the table from the entry stubs, once. */
void idt_init(void);
void idt_load(void);
