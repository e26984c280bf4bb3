/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The local APIC of each CPU: interrupts and NMIs from one CPU to another, and a timer. Source:
 * Intel SDM vol. 3, "Advanced Programmable Interrupt Controller (APIC)"; the registers are those of
 * xAPIC mode.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Sets the address at which the registers are mapped, the same on every CPU. Boot. */
void apic_init(volatile void *mapped);

/* The address of the registers; NULL: there is no APIC. */
volatile void *apic_registers(void);

/*
 * Enables this CPU's local APIC. On the boot CPU the local pins stay as the firmware set them. If
 * the firmware left the controller disabled, the pins are set as it should have set them: the
 * 8259A's interrupts on LINT0, NMI on LINT1 (MultiProcessor Specification, "Virtual Wire Mode"). On
 * other CPUs the pins are masked. Interrupts off.
 */
void apic_enable(bool boot_cpu);

/* This CPU's APIC ID. */
uint32_t apic_id(void);

/*
 * Makes the pin through which the firmware delivers NMIs raise VECTOR_APIC_BUTTON instead, or an
 * NMI again. On the boot CPU this takes effect at once; on another CPU when the boot CPU calls
 * apic_button_follow. With all other CPUs parked.
 */
void apic_set_button(bool by_vector);
void apic_button_follow(void);

/* True if the button has been pressed, even with interrupts off. On the boot CPU, any context. */
bool apic_button_is_pressed(void);

/* Send an interrupt with this vector, or an NMI, to the CPU with APIC ID `to`. Any context. */
void apic_send(uint32_t to, uint8_t vector);
void apic_send_nmi(uint32_t to);

/*
 * Send the two messages that start a CPU: after the first it waits, after the second it runs
 * real-mode code at `page` (below 1 MiB). Boot.
 */
void apic_send_init(uint32_t to);
void apic_send_startup(uint32_t to, uint32_t page);

/* Signals end of interrupt to the controller. Interrupt context. */
void apic_end(void);

/* Measures the timer's rate against the clock, in about 10 ms. Once, boot, interrupts off. */
void apic_timer_calibrate(void);

/*
 * Raises VECTOR_APIC_TIMER on this CPU `hertz` times per second; the first interrupt arrives after
 * a full period.
 */
void apic_timer_set_rate(unsigned hertz);
