/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What each CPU owns. How a CPU finds its own is said beside: through GS in this kernel
 * (arch/x86_64/cpu/inline.h), by the number that the host gives where Pitot is embedded
 * (arch/embed).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct regs;

/*
 * What each CPU owns and finds through GS. It lies in pages that no watch may touch, as trap
 * entries use it while watches are armed. Which CPU writes a field:
 *   [I] its maker, before the CPU runs   [O] the owning CPU   [A] any CPU, by atomic operations
 */
struct percpu {
    struct percpu *self; /* [I] */
    /*
     * [O] What the outermost exit loads into DR7, written before the register: the second of these,
     * or, where the CPU makes a step, the third.
     */
    uint64_t dr7, dr7_full, dr7_step;
    uint64_t live; /* [O] bit i: register i is armed, and live here; written before DR7 */
    /* [O] debug traps and NMIs that are being served; DR7 is 0 while it is not 0 */
    uint32_t watch_depth;
    uint32_t cpu;             /* [I] index of this CPU, from 0 */
    uint32_t apic_id;         /* [I] its number to the interrupt controllers */
    uint32_t interrupt_depth; /* [O] interrupts whose handlers are running */
    /* [O] the top of the running thread's stack, where entries from user mode begin */
    uintptr_t kernel_stack;
    bool
        steps; /* [O] the next instruction outside of traps is stepped; others while it is parked */
    uint64_t user_sp; /* [O] a program's stack pointer, between two instructions of syscall_entry */

    /* NMIs: arch/x86_64/entry/nmi.c. */
    uint32_t nmi_sent;    /* [A] NMIs that other CPUs have asked for, in all */
    uint32_t nmi_seen;    /* [O] of these, how many had been when the last NMI came */
    bool nmi_spare;       /* [O] one more may come for those */
    uint32_t clock_asked; /* [A] by the boot CPU: the NMI clock is to be served */

    /* Standing still, for all reasons: arch/x86_64/cpu/stand.h. */
    uint32_t stand_asked;      /* [A] what it is asked to stand still for: STAND_* */
    uint32_t stands;           /* [O] what it stands still for */
    struct regs *stopped_regs; /* [O] at what; NULL: it runs. A debugger changes what is there */

    bool runs;             /* [A] set by the owning CPU when it is there for others */
    int64_t clock_off;     /* [I] ns that its clock is off, at least, */
    uint64_t clock_window; /* [I] ... found by looking for so many ns */
} __attribute__((aligned(64)));

extern struct percpu percpu[];
