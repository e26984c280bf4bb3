/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Per-CPU data. This kernel finds it through GS (arch/x86_64/cpu/inline.h); when Pitot is embedded,
 * it is found by the CPU number from the host (arch/embed).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct regs;

/*
 * The data that each CPU owns. It is in pages that may not be watched, as trap entries use it while
 * watches are armed. Which CPU writes a field:
 *   [I] the creator, before the CPU runs   [O] the owning CPU   [A] any CPU, by atomic operations
 */
struct percpu {
    struct percpu *self; /* [I] */
    /*
     * [O] `dr7` is loaded into DR7 by the outermost exit, and written before the register: it
     * equals `dr7_full`, or `dr7_step` if the CPU makes a step.
     */
    uint64_t dr7, dr7_full, dr7_step;
    uint64_t live; /* [O] bit i: register i is armed and live on this CPU; written before DR7 */
    /* [O] nesting depth of debug traps and NMIs; while it is not 0, DR7 is 0 */
    uint32_t watch_depth;
    uint32_t cpu;             /* [I] index of this CPU, from 0 */
    uint32_t apic_id;         /* [I] APIC ID */
    uint32_t interrupt_depth; /* [O] number of interrupt handlers running */
    /* [O] top of the running thread's stack, where entries from user mode begin */
    uintptr_t kernel_stack;
    bool steps;         /* [O] the next instruction outside of traps is stepped; others write it
                         * while this CPU is parked */
    bool program_steps; /* [O] the kernel steps the program to which this CPU last returned: the
                         * trap flag is not the program's alone */
    uint64_t user_sp; /* [O] a program's stack pointer, between two instructions of syscall_entry */

    /* NMIs: arch/x86_64/entry/nmi.c. */
    uint32_t nmi_sent;    /* [A] total number of NMIs requested by other CPUs */
    uint32_t nmi_seen;    /* [O] value of nmi_sent when the last NMI arrived */
    bool nmi_spare;       /* [O] one more of the requested NMIs may still arrive */
    uint32_t clock_asked; /* [A] written by the boot CPU: this CPU is to serve the NMI clock */

    /* Rendezvous, for all reasons: arch/x86_64/smp/rendezvous.h. */
    uint32_t rendezvous_asked; /* [A] reasons for which it is asked to wait: RENDEZVOUS_* */
    uint32_t stands;           /* [O] reasons for which it waits */
    struct regs *stopped_regs; /* [O] where it waits; NULL: it runs. A debugger may change them */

    bool runs;             /* [A] set by the owning CPU once other CPUs may use it */
    int64_t clock_off;     /* [I] smallest difference to the boot CPU's clock, in ns, ... */
    uint64_t clock_window; /* [I] ... and the length of the measurement, in ns */
} __attribute__((aligned(64)));

extern struct percpu percpu[];
