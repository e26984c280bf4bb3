/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The local interrupt controller of each CPU: interrupts and NMIs from one CPU to another, and a
 * timer. Source: Intel SDM vol. 3, "Advanced Programmable Interrupt Controller (APIC)"; the
 * registers are those of xAPIC mode.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* The registers, mapped, the same address on every CPU. Boot. */
void apic_init(volatile void *mapped);

/* ... and where they are; NULL: there is no APIC. */
volatile void *apic_registers(void);

/*
 * Turns this CPU's on. Its local pins stay as the firmware set them on the boot CPU, where the
 * 8259A's interrupts come in; elsewhere they are masked. Interrupts off.
 */
void apic_enable(bool boot_cpu);

/* This CPU's number to the others' controllers. */
uint32_t apic_id(void);

/*
 * What the firmware lets in as an NMI by this CPU's pin is to come as VECTOR_APIC_BUTTON from now
 * on, or as an NMI again: at once on the boot CPU, else when that calls the second. Others let
 * nothing in. With all other CPUs parked.
 */
void apic_set_button(bool by_vector);
void apic_button_follow(void);

/* ... and it has come, though interrupts are off perhaps. The boot CPU, any context. */
bool apic_button_is_pressed(void);

/* An interrupt of this vector; an NMI. To one CPU, by its apic_id. Any context. */
void apic_send(uint32_t to, uint8_t vector);
void apic_send_nmi(uint32_t to);

/* The two that begin a CPU: it waits from the first on, and runs real-mode code at `page` (below 1
 * MiB) from the second on. Boot. */
void apic_send_init(uint32_t to);
void apic_send_startup(uint32_t to, uint32_t page);

/* The interrupt that is being served is done. Interrupt context. */
void apic_end(void);

/* The timer's rate, measured by the clock: about 10 ms. Once, boot, interrupts off. */
void apic_timer_calibrate(void);

/* VECTOR_APIC_TIMER on this CPU so many times a second, beginning with a whole period. */
void apic_timer_set_rate(unsigned hertz);
