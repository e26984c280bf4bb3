/* SPDX-License-Identifier: BSD-2-Clause */
/* Starting CPUs (Intel SDM vol. 3, "MP Initialization"). Boot, interrupts off, on the boot CPU. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Copies start-up code to `low_page`, a free page below 1 MiB. Runs on the boot loader's mapping.
 */
void smp_place(uint32_t low_page);

/* Registers the other CPUs: apic_ids[i] is the APIC ID of CPU i + 1. */
void smp_init(const uint32_t *apic_ids, size_t count);

/* What a starting CPU needs before it has a stack; also read by boot/entry_high.asm. */
struct smp_start {
    uint64_t page_tables; /* for CR3 */
    uint64_t stack;       /* [A] the top of the stack; the CPU that exchanges it for 0 owns it */
};

extern struct smp_start smp_start;

/* Called by boot/entry_high.asm on the starting CPU's stack, interrupts off. */
_Noreturn void smp_main(void);
