/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The sample kernel's gates, and the first IST stack of its first CPU, for variants that change
 * them. Called before pitot_init.
 */
#pragma once

#include "ports/c/kernel.h"

#define GATE_SIZE  16
#define GATE_STACK 4 /* its byte that says on which IST stack; 0: on the current one */
#define GATE_TYPE  5 /* ... whether it is present */

#define TASK        0x28
#define FIRST_STACK 36 /* in the task state */

#define FIRST_STACK_OF_KERNEL 4 /* likewise: for traps of programs */

extern uint64_t gdt[];

static inline uint8_t *gate_of(unsigned vector)
{
    struct __attribute__((packed)) {
        uint16_t last;
        uint8_t *base;
    } idt;

    __asm__ volatile("sidt %0" : "=m"(idt));
    return idt.base + vector * GATE_SIZE;
}

static inline uint8_t *task_of(unsigned cpu)
{
    const uint64_t *descriptor = &gdt[TASK / 8 + 2 * cpu];
    uint64_t low = descriptor[0], high = descriptor[1];

    return (uint8_t *)(high << 32 | (low >> 56 & 0xff) << 24 | (low >> 16 & 0xffffff));
}

/* Leads vector 1 to the first IST stack, which ends at `top`. */
static inline void debug_gate_set_stack(void *top)
{
    gate_of(DEBUG_VECTOR)[GATE_STACK] = 1;
    *(uint64_t *)(task_of(0) + FIRST_STACK) = (uint64_t)top;
}
