/* SPDX-License-Identifier: BSD-2-Clause */
/* Per-CPU data, found through GS or, if Pitot is embedded, by the host's CPU number. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct regs;

/*
 * These pages may not be watched, as trap entries use them while watches are armed. Writers:
 *   [I] the creator, before the CPU runs   [O] the owning CPU   [A] any CPU, by atomic operations
 */
struct percpu {
    struct percpu *self; /* [I] */
    /* [O] the outermost exit loads `dr7`, a copy of `dr7_full` or, for a step, of `dr7_step` */
    uint64_t dr7, dr7_full, dr7_step;
    uint64_t live; /* [O] bit i: register i is armed and live; written before DR7 */
    /* [O] nested debug traps and NMIs; DR7 is 0 in them */
    uint32_t watch_depth;
    uint32_t cpu;             /* [I] this CPU's number */
    uint32_t apic_id;         /* [I] */
    uint32_t interrupt_depth; /* [O] nested interrupt handlers */
    /* [O] top of the running thread's stack, for entries from user mode */
    uintptr_t kernel_stack;
    /* [O, others while it is parked] the next instruction outside of traps is stepped */
    bool steps;
    bool program_steps; /* [O] the kernel steps the program to which this CPU returned last */
    uint64_t user_sp;   /* [O] a program's stack pointer, inside syscall_entry */

    /* NMIs, or another kernel's interrupts: kernel/x86_64/entry/nmi.c, arch/embed/park.c. */
    uint32_t nmi_sent;    /* [A] those that other CPUs have requested */
    uint32_t nmi_seen;    /* [O] nmi_sent when the last one arrived */
    bool nmi_spare;       /* [O] one more requested NMI may arrive */
    uint32_t clock_asked; /* [A] set by the boot CPU: this CPU is to serve the NMI clock */

    /* Rendezvous, for all reasons: arch/x86_64/smp/rendezvous.h. */
    uint32_t rendezvous_asked; /* [A] why this CPU is asked to wait: RENDEZVOUS_* */
    uint32_t stands;           /* [O] why this CPU waits */
    struct regs *stopped_regs; /* [O, a debugger] registers of the waiting context; NULL: it runs */

    bool runs;             /* [A] set by the owning CPU once others may use it */
    int64_t clock_off;     /* [boot CPU, once] result of arch_cpu_clock_off, in ns, ... */
    uint64_t clock_window; /* [boot CPU, once] ... and the length of the measurement, in ns */
} __attribute__((aligned(64)));

extern struct percpu percpu[];
