/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stacks, each above an unmapped guard page. The boot CPU's are in the image
 * (kernel/x86_64/memory/paging.c); threads and other CPUs have slots elsewhere in the address
 * space, mapped on first use. The CPU pushes its frames on IST pages, which may not be watched: in
 * QEMU a watch hit by that push loses the interrupt (docs/kernel.md). IST numbers are the TSS's, 1
 * to 7.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "arch/cpu.h"
#include "arch/unwind.h"
#include "kernel/x86_64/thread.h"

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

extern struct stack_pages stack_task;           /* kernel_main's stack */
extern struct stack_pages stack_ist[IST_COUNT]; /* stack_ist[0] is IST1 */

/* The threads' slots, then those of all CPUs but the boot CPU. */
#define STACK_SLOTS_BASE     0xffffc10000000000ull
#define STACK_SLOTS_OF_CPUS  ARCH_THREAD_STACKS
#define STACK_SLOTS          (ARCH_THREAD_STACKS + (ARCH_CPUS_MAX - 1) * IST_COUNT)
#define STACK_SLOT(n)        (STACK_SLOTS_BASE + (n) * sizeof(struct stack_pages))
#define STACK_SLOT_CPU(n, i) (STACK_SLOTS_OF_CPUS + ((n)-1) * IST_COUNT + (i))

/* All zero until the slot has its first owner. */
extern struct arch_stack stack_slots[STACK_SLOTS];

/* Maps all stacks of a CPU to be started; returns false if out of memory. Boot. */
bool stacks_make(unsigned cpu);

/* Returns that CPU's stack of IST number i + 1. */
const struct arch_stack *stack_of_cpu(unsigned cpu, unsigned i);
