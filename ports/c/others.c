/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The sample kernel's other CPUs: start, and interrupts between CPUs. Source: Intel SDM vol. 3,
 * "Advanced Programmable Interrupt Controller".
 */
#include "ports/c/kernel.h"

#define APIC         0xfee00000
#define APIC_END     0xb0 /* of an interrupt */
#define APIC_ENABLE  0xf0
#define APIC_COMMAND 0x300
#define ENABLED      0x100
#define TO_OTHERS    0xc0000
#define ASSERTED     0x4000
#define RESET        0x500
#define STARTUP      0x600
#define ENTRY        0x8000 /* other_entry is copied to this free page below 1 MiB */

extern const char other_entry[]; /* boot.S */
extern const uint32_t other_entry_size;
extern uint64_t other_stack; /* of the CPU that starts, for boot.S */
void other_begin(void) __attribute__((noreturn));

uint64_t other_stack;
static uint32_t other_number; /* of the CPU that starts */

static void apic_write(uint32_t place, uint32_t value)
{
    *(volatile uint32_t *)(uint64_t)(APIC + place) = value;
}

static void apic_enable(void)
{
    apic_write(APIC_ENABLE, ENABLED | OTHER_VECTOR);
}

/* Called by boot.S on the other CPU. */
void other_begin(void)
{
    apic_enable();
    other_init(other_number);
    __atomic_store_n(&this_cpu()->runs, 1, __ATOMIC_RELEASE);
    other_main();
    __builtin_trap(); /* keeps the return address in this function */
}

/* A startup that arrives before the CPU has reset is lost, so it is sent until the CPU runs. */
static void other_start(uint32_t number)
{
    other_number = number;
    other_stack = (uint64_t)thread_stacks[THREADS + number - 1] + STACK_SIZE;
    apic_write(APIC_COMMAND, TO_OTHERS | ASSERTED | RESET);
    while (!__atomic_load_n(&cpus[number].runs, __ATOMIC_ACQUIRE))
        apic_write(APIC_COMMAND, TO_OTHERS | ASSERTED | STARTUP | ENTRY >> 12);
}

void others_start(void)
{
    memcpy((void *)ENTRY, other_entry, other_entry_size);
    apic_enable();
    for (uint32_t number = 1; number < CPUS; number++)
        other_start(number);
}

void others_interrupt(uint32_t vector)
{
    apic_write(APIC_COMMAND, TO_OTHERS | ASSERTED | vector);
}

void others_served(void)
{
    apic_write(APIC_END, 0);
}
