/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The local interrupt controller of each CPU: interrupts and NMIs from one CPU to another, and a
 * timer. Source: Intel SDM vol. 3, "Advanced Programmable Interrupt Controller (APIC)"; the
 * registers are those of xAPIC mode.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Maps the registers, at the same address on every CPU. Boot. */
void apic_init(volatile void *mapped);

/* The address of the registers; NULL: there is no APIC. */
volatile void *apic_registers(void);

/*
 * Turns this CPU's controller on. On the boot CPU the local pins stay as the firmware set them. If
 * it left the controller off, they are set as it should have: the 8259A's interrupts on LINT0, NMI
 * on LINT1 (MultiProcessor Specification, "Virtual Wire Mode"). On the others they are masked.
 * Interrupts off.
 */
void apic_enable(bool boot_cpu);

/* The number of this CPU to the interrupt controllers of the others. */
uint32_t apic_id(void);

/*
 * From now on the pin by which the firmware lets NMIs in raises VECTOR_APIC_BUTTON instead, or an
 * NMI again. On the boot CPU this takes effect at once; on another CPU when the boot CPU calls the
 * second function. With all other CPUs parked.
 */
void apic_set_button(bool by_vector);
void apic_button_follow(void);

/* True if the button has been pressed, even if interrupts are off. On the boot CPU, any context. */
bool apic_button_is_pressed(void);

/* Sends an interrupt with this vector, or an NMI, to one CPU, named by its apic_id. Any context. */
void apic_send(uint32_t to, uint8_t vector);
void apic_send_nmi(uint32_t to);

/*
 * Send the two messages that start a CPU: after the first it waits, after the second it runs
 * real-mode code at `page` (below 1 MiB). Boot.
 */
void apic_send_init(uint32_t to);
void apic_send_startup(uint32_t to, uint32_t page);

/*
 * Tells the controller that the handler of the current interrupt has finished. Interrupt context.
 */
void apic_end(void);

/* Measures the timer's rate by the clock, in about 10 ms. Once, boot, interrupts off. */
void apic_timer_calibrate(void);

/*
 * Raises VECTOR_APIC_TIMER on this CPU so many times a second; the first comes after a whole
 * period.
 */
void apic_timer_set_rate(unsigned hertz);
