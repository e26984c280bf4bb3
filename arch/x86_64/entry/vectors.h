/* SPDX-License-Identifier: BSD-2-Clause */
/* Vectors (Intel SDM vol. 3, "Protected-Mode Exceptions and Interrupts"); the entries' tables. */
#pragma once

#include <stdint.h>

#define VECTOR_DEBUG           1
#define VECTOR_NMI             2
#define VECTOR_BREAKPOINT      3
#define VECTOR_DOUBLE_FAULT    8
#define VECTOR_INVALID_TSS     10
#define VECTOR_NOT_PRESENT     11
#define VECTOR_STACK_SEGMENT   12
#define VECTOR_PROTECTION      13
#define VECTOR_PAGE_FAULT      14
#define VECTOR_MACHINE_CHECK   18
#define VECTOR_FIRST_INTERRUPT 32
#define VECTOR_APIC_TIMER      0xf0
#define VECTOR_APIC_POKE       0xf1 /* from another CPU: arch_cpu_poke */
#define VECTOR_APIC_BUTTON     0xf2 /* NMI button: apic_set_button */
#define VECTOR_APIC_SPURIOUS   0xff /* "Spurious Interrupt", not acknowledged */

/* One stub of this size per vector, in order. */
#define TRAP_STUB_SIZE 16
extern const char trap_stubs[];

/* Return addresses of the calls that the entries make with a struct regs on top of the stack. */
extern const uintptr_t trap_returns[], trap_returns_end[];

/* Ranges [from, to) in which cs is the kernel's and sp a program's. */
struct trap_border {
    uintptr_t from, to;
};
extern const struct trap_border trap_borders[], trap_borders_end[];

/*
 * Ranges from the check for a requested stop to the end of a debug trap or #BP, and the address of
 * that check.
 */
extern const struct trap_border trap_tails[], trap_tails_end[];
extern const uintptr_t trap_look;

/* A debug trap handler's usual return address, and that for a requested stop (stop_entries.c). */
struct debug_return {
    uintptr_t usual, asked;
};
extern const struct debug_return debug_returns[], debug_returns_end[];

/* The address of the `iretq`, to a program or the kernel, of all vectors but #DB, NMI and #BP. */
extern const uintptr_t trap_iretq;

/* The addresses of `clac` in the entries (idt_init). */
extern const uintptr_t trap_clacs[], trap_clacs_end[];
