/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * CPUs: which one this is, what time it is, which context it runs; how many there are, and of which
 * kind. For all code. A kernel that wants core for itself implements this page and the others that
 * tools/layers lets core include; one implementation is arch/x86_64/, another is the fake that the
 * unit tests link (tests/unit/fake_arch.c). What is declared here may be inline instead
 * (arch/x86_64/cpu/inline.h).
 *
 * Contexts nest strictly on one CPU: task < interrupt < debug trap < NMI. "Any context" includes
 * the last.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/x86_64/cpu/count.h"
#include "arch/x86_64/cpu/inline.h"

#define ARCH_NAME "x86_64" /* as `uname -m` prints it */

/*
 * Marks a function that the hit path, an NMI or a debugger's stop calls. The linker puts it into
 * .text.hit (linker.ld), where a debugger refuses to put a breakpoint instruction. Files whose
 * functions are all called from there are listed in linker.ld instead.
 */
#define ARCH_HIT_TEXT __attribute__((section(".text.hit")))

/* The number of this CPU. Any context; the answer stays valid while preemption is off. */
unsigned arch_cpu_id(void);

/*
 * Nanoseconds since boot: one clock for all CPUs, which never goes backwards on one CPU. Any
 * context.
 */
uint64_t arch_clock_ns(void);

/* Turns interrupts off and returns what arch_irq_restore takes. NMIs and debug traps still come. */
uint64_t arch_irq_save(void);
void arch_irq_restore(uint64_t flags);
bool arch_irq_on(void);
void arch_irq_enable(void);

/* A pause inside a spinning loop. */
void arch_relax(void);

/* Halts until the next interrupt; interrupts are on when it returns. Task context. */
void arch_idle(void);

/*
 * How many debug traps and NMIs are being served on this CPU: 0, 1 or 2. With interrupts off this
 * number identifies the context, as a task and an interrupt then cannot preempt each other. Any
 * context.
 */
unsigned arch_trap_depth(void);

/*
 * True while the handler of an interrupt is running on this CPU, also in debug traps and NMIs that
 * have interrupted the handler. Any context.
 */
bool arch_interrupted(void);

/* --- All CPUs. --- */

/*
 * How many CPUs there may be, including this one. They are numbered from 0, the boot CPU. Any
 * context.
 */
unsigned arch_cpus(void);

/* The CPU's own name; never empty. Task and crash context. */
const char *arch_cpu_name(void);

/* The CPU's kind, by its maker's numbers. Task and crash context. */
struct arch_cpu_kind {
    char maker[13];
    unsigned family, model, stepping;
};

struct arch_cpu_kind arch_cpu_kind(void);

/* False for a CPU that has not been started, or that did not start. Any context. */
bool arch_cpu_runs(unsigned cpu);

/*
 * The least difference between its clock and the boot CPU's, measured within `window` nanoseconds
 * when it started; 0 if the clocks may agree.
 */
int64_t arch_cpu_clock_off(unsigned cpu, uint64_t *window);

#define ARCH_NO_CPU (~0u)

/* Stops this CPU for good. */
_Noreturn void arch_halt(void);
