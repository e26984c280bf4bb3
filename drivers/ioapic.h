/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An I/O interrupt controller, as far as it can send one CPU an NMI when a line rises. Source:
 * Intel 82093AA I/O APIC data sheet. Its lines are masked by the firmware. One CPU at a time.
 */
#pragma once

#include <stdint.h>

/* How many lines the controller with these registers, mapped, has. */
unsigned ioapic_lines(volatile void *registers);

/* Each rising edge of this line of it, from now on, is an NMI to the CPU of that APIC number. */
void ioapic_send_nmi(volatile void *registers, unsigned line, uint32_t apic_id);

/* Its edges are lost from here on. */
void ioapic_mask(volatile void *registers, unsigned line);
