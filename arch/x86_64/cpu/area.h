/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What each CPU owns. This kernel finds it through GS (arch/x86_64/cpu/inline.h); where Pitot is
 * embedded, it is found by the number that the host gives (arch/embed).
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
    /* [O] debug traps and NMIs that are being served; while it is not 0, DR7 is 0 */
    uint32_t watch_depth;
    uint32_t cpu;             /* [I] index of this CPU, from 0 */
    uint32_t apic_id;         /* [I] its number to the interrupt controllers */
    uint32_t interrupt_depth; /* [O] interrupts whose handlers are running */
    /* [O] the top of the running thread's stack, where entries from user mode begin */
    uintptr_t kernel_stack;
    bool steps; /* [O] the next instruction outside of traps is stepped; other CPUs write it while
                * this one is parked */
    bool program_steps; /* [O] the program that this CPU has last returned to is stepped by the
                         * kernel: its trap flag is not its own alone */
    uint64_t user_sp; /* [O] a program's stack pointer, between two instructions of syscall_entry */

    /* NMIs: arch/x86_64/entry/nmi.c. */
    uint32_t nmi_sent;    /* [A] NMIs that other CPUs have asked for, in all */
    uint32_t nmi_seen;    /* [O] how many of these had been asked for when the last NMI came */
    bool nmi_spare;       /* [O] one more NMI may come for those that were asked for */
    uint32_t clock_asked; /* [A] written by the boot CPU: this CPU shall serve the NMI clock */

    /* Standing still, for all reasons: arch/x86_64/smp/rendezvous.h. */
    uint32_t rendezvous_asked; /* [A] what it is asked to stand still for: RENDEZVOUS_* */
    uint32_t stands;           /* [O] what it stands still for */
    struct regs *stopped_regs; /* [O] at what; NULL: it runs. A debugger changes what is there */

    bool runs;             /* [A] set by the owning CPU when other CPUs may use it */
    int64_t clock_off;     /* [I] the least difference to the boot CPU's clock, in ns, */
    uint64_t clock_window; /* [I] ... and the length of the measurement, in ns */
} __attribute__((aligned(64)));

extern struct percpu percpu[];
