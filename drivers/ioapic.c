/* SPDX-License-Identifier: BSD-2-Clause */
/* See ioapic.h. */
#include "drivers/ioapic.h"

/* The two registers through which all others are accessed, by index. */
#define SELECT 0x00
#define WINDOW 0x10

#define VERSION         1
#define VERSION_LAST(v) ((v) >> 16 & 0xff)
#define ENTRY(line)     (0x10 + 2 * (line))

/* "Redirection Table": the low half, for rising edges, and the high half. */
#define ENTRY_NMI    (4u << 8)
#define ENTRY_MASKED (1u << 16)
#define TO_SHIFT     24

static void ioapic_write(volatile void *registers, unsigned index, uint32_t value)
{
    *(volatile uint32_t *)((volatile uint8_t *)registers + SELECT) = index;
    *(volatile uint32_t *)((volatile uint8_t *)registers + WINDOW) = value;
}

static uint32_t ioapic_read(volatile void *registers, unsigned index)
{
    *(volatile uint32_t *)((volatile uint8_t *)registers + SELECT) = index;
    return *(volatile uint32_t *)((volatile uint8_t *)registers + WINDOW);
}

unsigned ioapic_lines(volatile void *registers)
{
    return VERSION_LAST(ioapic_read(registers, VERSION)) + 1;
}

void ioapic_mask(volatile void *registers, unsigned line)
{
    ioapic_write(registers, ENTRY(line), ENTRY_MASKED);
}

void ioapic_send_nmi(volatile void *registers, unsigned line, uint32_t apic_id)
{
    ioapic_write(registers, ENTRY(line), ENTRY_MASKED);
    ioapic_write(registers, ENTRY(line) + 1, apic_id << TO_SHIFT);
    ioapic_write(registers, ENTRY(line), ENTRY_NMI);
}
