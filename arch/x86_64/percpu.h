/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What each CPU owns and finds through GS. All of it lies in pages that no watch may touch, as trap
 * entries use it while watches are armed. Fields are written by the owning CPU only.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "arch/x86_64/gdt.h"

struct percpu {
    /* what the outermost exit loads into DR7; written before the register */
    uint64_t dr7;
    /* debug traps and NMIs that are being served; DR7 is 0 while it is not 0 */
    uint32_t watch_depth;
    uint32_t cpu;             /* index of this CPU, from 0 */
    uint32_t interrupt_depth; /* interrupts whose handlers are running */
    struct gdt gdt;
    struct tss tss;
};

extern struct percpu percpu_boot;

/* Loads GS, GDT, TSS and IDT for the boot CPU; before it no trap can be taken. */
void percpu_init(void);

static inline struct percpu *percpu_self(void)
{
    return &percpu_boot; /* one CPU runs; GS leads assembly to the same place */
}
