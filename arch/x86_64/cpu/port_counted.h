/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sends bytes to a device and counts them. If an NMI ends the machine, the stream resumes after the
 * last byte sent, so the count must not be one too small. But no instruction both sends and counts,
 * so an NMI that reports, or halts its CPU, calls port_count_settle first.
 */
#pragma once

#include <stdint.h>

#include "arch/x86_64/cpu/local.h"
#include "arch/x86_64/cpu/regs.h"

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
