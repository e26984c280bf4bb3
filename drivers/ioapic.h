/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An I/O interrupt controller, used only to send an NMI to one CPU when a line rises. Source: Intel
 * 82093AA I/O APIC data sheet. The firmware leaves its lines masked. One CPU at a time.
 */
#pragma once

#include <stdint.h>

/* Number of lines of the controller with these mapped registers. */
unsigned ioapic_lines(volatile void *registers);

/* From now on, each rising edge of the line sends an NMI to the CPU with that APIC ID. */
void ioapic_send_nmi(volatile void *registers, unsigned line, uint32_t apic_id);

/* From now on, the line's edges are lost. */
void ioapic_mask(volatile void *registers, unsigned line);
