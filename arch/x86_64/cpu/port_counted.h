/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sends bytes to a device and counts them. A machine that dies by an NMI continues its stream after
 * the last byte that was sent, so the count may not be one too small; but no instruction both sends
 * and counts. So an NMI that reports, or that halts its CPU, asks here first.
 */
#pragma once

#include <stdint.h>

struct regs;

/*
 * Interrupts off. A breakpoint or a step between the two instructions is not settled: if the
 * machine dies inside that debug trap, the count is one too small.
 */
void port_write8_counted(uint16_t port, uint8_t value, uint64_t *counter);

/*
 * If the NMI came between a byte and its count, counts it; the interrupted code then resumes after
 * its own count.
 */
void port_count_settle(struct regs *regs);
