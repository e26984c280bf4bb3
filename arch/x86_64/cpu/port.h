/* SPDX-License-Identifier: BSD-2-Clause */
/* Port I/O. Any context of the kernel. */
#pragma once

#include <stdint.h>

#include "arch/local.h"
#include "arch/regs.h"

static inline void port_write8(uint16_t port, uint8_t value)
{
    __asm__ volatile("outb %0, %1" : : "a"(value), "Nd"(port) : "memory");
}

static inline void port_write16(uint16_t port, uint16_t value)
{
    __asm__ volatile("outw %0, %1" : : "a"(value), "Nd"(port) : "memory");
}

static inline void port_write32(uint16_t port, uint32_t value)
{
    __asm__ volatile("outl %0, %1" : : "a"(value), "Nd"(port) : "memory");
}

static inline uint32_t port_read32(uint16_t port)
{
    uint32_t value;
    __asm__ volatile("inl %1, %0" : "=a"(value) : "Nd"(port) : "memory");
    return value;
}

static inline uint8_t port_read8(uint16_t port)
{
    uint8_t value;
    __asm__ volatile("inb %1, %0" : "=a"(value) : "Nd"(port) : "memory");
    return value;
}

/*
 * --- Bytes that are sent and counted. If an NMI ends the machine, the stream resumes after the
 * last byte sent, so the count must not be one too small. But no instruction both sends and counts,
 * so an NMI that reports, or halts its CPU, calls port_count_settle first. ---
 */

extern const uint64_t port_counts, port_has_counted; /* port_counted.asm */

/* Interrupts off. In a debug trap between the two instructions the count is one too small. */
void port_write8_counted(uint16_t port, uint8_t value, uint64_t *counter);

/* If the NMI came between a byte and its count, counts the byte and skips the code's own count. */
static inline void port_count_settle(struct regs *regs)
{
    if (regs->ip != port_counts)
        return;
    local_increment((uint64_t *)regs->cx);
    regs->ip = port_has_counted;
}
