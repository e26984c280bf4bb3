/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An I/O APIC, used only to send an NMI to one CPU when a line rises. Source: Intel 82093AA I/O
 * APIC data sheet. Firmware leaves its lines masked. One CPU at a time.
 */
#pragma once

#include <stdint.h>

/* Returns the number of lines of the I/O APIC with these mapped registers. */
unsigned ioapic_lines(volatile void *registers);

/* From now on, each rising edge of the line sends an NMI to that CPU. */
void ioapic_send_nmi(volatile void *registers, unsigned line, uint32_t apic_id);

/* Masks the line: its edges are lost from now on. */
void ioapic_mask(volatile void *registers, unsigned line);
