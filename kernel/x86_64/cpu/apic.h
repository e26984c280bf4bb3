/* SPDX-License-Identifier: BSD-2-Clause */
/* The local APIC in xAPIC mode (Intel SDM vol. 3, "Advanced Programmable Interrupt Controller"). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Sets the registers' address, the same on every CPU. Boot. */
void apic_init(volatile void *mapped);

/* The registers' address; NULL: no APIC. */
volatile void *apic_registers(void);

/*
 * Enables this CPU's local APIC. The boot CPU's pins stay as the firmware set them or, if it left
 * the APIC disabled, become 8259A interrupts on LINT0 and NMI on LINT1 (MultiProcessor
 * Specification, "Virtual Wire Mode"). Other CPUs' pins are masked. Interrupts off.
 */
void apic_enable(bool boot_cpu);

uint32_t apic_id(void);

/*
 * Makes the pin that the firmware uses for NMIs raise VECTOR_APIC_BUTTON, or NMIs again. Takes
 * effect at once on the boot CPU, otherwise when the boot CPU calls apic_button_follow. With all
 * other CPUs parked.
 */
void apic_set_button(bool by_vector);
void apic_button_follow(void);

/* True if the button has been pressed, even with interrupts off. On the boot CPU, any context. */
bool apic_button_is_pressed(void);

/* Send an interrupt or an NMI to the CPU with APIC ID `to`. Any context. */
void apic_send(uint32_t to, uint8_t vector);
void apic_send_nmi(uint32_t to);

/* Start a CPU: INIT makes it wait, the start-up message makes it run `page` in real mode. Boot. */
void apic_send_init(uint32_t to);
void apic_send_startup(uint32_t to, uint32_t page);

void apic_end(void);

/* Measures the timer's rate against the clock, in about 10 ms. Once, boot, interrupts off. */
void apic_timer_calibrate(void);

/* Raises VECTOR_APIC_TIMER on this CPU at `hertz`, first after a full period. */
void apic_timer_set_rate(unsigned hertz);
