/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a kernel decides at compile time, in a header that its build names by -DPITOT_OWN=PATH, as
 * hits must have it in line or as a constant:
 *
 *   arch_cpu_id, arch_trap_depth, arch_interrupted, arch_clock_ns  (arch/cpu.h)
 *   percpu_self, percpu_live     this CPU's area (below), and `live` of it
 *   STOP_OWN_KERNEL              true: in a debugger's stop, system and segment registers are alike
 *                                on all CPUs, and programs can be stepped
 *   stop_gs_base(cpu)            the GS base of a CPU in such a stop
 *   stop_code_selector(regs)     the code selector of its registers
 *   ARCH_CPUS_MAX                maximum number of CPUs, as an array size
 *   ARCH_USER_START, _END        the programs' addresses
 *   RECORDING_EVENTS_MAX         events of a recording; one takes about 1 KiB in the options and in
 *                                each of the two banks
 *   RECORDING_RING_DEFAULT       bytes per CPU, unless -m sets another size
 *
 * kernel/x86_64/own.h, arch/embed/own.h and tests/unit/own.h do.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct regs;

/*
 * Per-CPU data, found through GS or, if Pitot is embedded, by the host's CPU number.
 *
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

#define OWN_TEXT(path)   #path
#define OWN_HEADER(path) OWN_TEXT(path)
#include OWN_HEADER(PITOT_OWN)
