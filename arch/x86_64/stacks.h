/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The boot CPU's stacks. Each has an unmapped guard page below it (arch/x86_64/paging.c leaves it
 * out). The ones that the hardware pushes frames on are IST pages, which nobody may watch: a watch
 * hit by the push of a frame loses the interrupt in QEMU (docs/traps.md). IST numbers are those of
 * the TSS, 1 to 7.
 */
#pragma once

#include <stdint.h>

enum {
    IST_NMI = 1,
    IST_DEBUG,
    IST_DOUBLE_FAULT,
    IST_MACHINE_CHECK,
    IST_EXCEPTION,
    IST_INTERRUPT,
    IST_COUNT = IST_INTERRUPT,
};

#define STACK_SIZE  16384
#define STACK_GUARD 4096

struct stack_pages {
    char guard[STACK_GUARD];
    char bytes[STACK_SIZE];
};

extern struct stack_pages stack_task;           /* kernel_main's */
extern struct stack_pages stack_threads[];      /* ARCH_THREAD_STACKS of them */
extern struct stack_pages stack_ist[IST_COUNT]; /* stack_ist[0] is IST1 */

/* The address that a stack pointer starts from. */
static inline uintptr_t stack_top(const struct stack_pages *pages)
{
    return (uintptr_t)pages->bytes + STACK_SIZE;
}
