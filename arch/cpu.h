/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The current CPU and its context, the clock, and the CPUs. A kernel that embeds core implements
 * this header and the others that tools/layers lets core include, as arch/x86_64 and
 * tests/unit/fake_arch.c do. Contexts nest strictly on one CPU: task < interrupt < debug trap <
 * NMI. "Any context" includes NMIs.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/own.h"

#define ARCH_NAME "x86_64" /* as `uname -m` prints it */

/*
 * Puts a function into .text.hit, where a debugger refuses to insert breakpoint instructions. For
 * functions that run in hits, in NMIs or in a debugger's stop. linker.ld does this for whole files
 * of such functions.
 */
#define ARCH_HIT_TEXT __attribute__((section(".text.hit")))

/* The number of this CPU. Any context; the result stays valid while preemption is off. */
unsigned arch_cpu_id(void);

/* Nanoseconds since boot. All CPUs share the clock; on one CPU it never goes back. Any context. */
uint64_t arch_clock_ns(void);

/* Turns off interrupts, but not debug traps or NMIs. Returns the argument for arch_irq_restore. */
uint64_t arch_irq_save(void);
void arch_irq_restore(uint64_t flags);
bool arch_irq_on(void);
void arch_irq_enable(void);

/* Spin-loop hint. */
void arch_relax(void);

/* Halts until the next interrupt; interrupts are on when it returns. Task context. */
void arch_idle(void);

/*
 * Debug traps and NMIs in progress on this CPU: 0, 1 or 2. With interrupts off the number
 * identifies the context, as tasks and interrupts cannot preempt each other. Any context.
 */
unsigned arch_trap_depth(void);

/* True in an interrupt handler, and in debug traps and NMIs that interrupt one. Any context. */
bool arch_interrupted(void);

/* --- All CPUs. --- */

/* Maximum number of CPUs. They are numbered from 0, the boot CPU. Any context. */
unsigned arch_cpus(void);

/* The CPU's brand string; never empty. Task and crash context, like arch_cpu_kind. */
const char *arch_cpu_name(void);

struct arch_cpu_kind {
    char maker[13];
    unsigned family, model, stepping;
};

struct arch_cpu_kind arch_cpu_kind(void);

/* False if the CPU has not been started or failed to start. Any context. */
bool arch_cpu_runs(unsigned cpu);

/*
 * Returns the smallest possible difference from the boot CPU's clock, in ns, or 0 if the clocks may
 * agree. Stores the length of the measurement, in ns, in *window.
 */
int64_t arch_cpu_clock_off(unsigned cpu, uint64_t *window);

#define ARCH_NO_CPU (~0u)

_Noreturn void arch_halt(void);

/* --- Parking: the other CPUs wait while data that they read changes. --- */

/*
 * Stops all other CPUs until arch_cpus_release: by NMI, even with interrupts off, or in another
 * kernel by an interrupt of its own. A CPU stops only outside of debug traps, and only where `may`,
 * called in the NMI, confirms that it uses nothing that the caller may change. Until the release
 * the caller's interrupts are off, and it may not take a lock, which a stopped CPU may hold. Calls
 * nest. Returns false if a CPU (stored in *absent) has not answered within two seconds, not
 * counting stops of the whole machine; all CPUs then continue. Task context.
 */
bool arch_cpus_park(unsigned *absent);
void arch_cpus_release(void);
void arch_set_may_park(bool (*may)(void));

/* Registers of a stopped CPU while the caller keeps it stopped; NULL if it runs. Any context. */
struct regs *arch_stopped_regs(unsigned cpu);
