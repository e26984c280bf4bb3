/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * CPUs: the current CPU, the clock, the current context, and the number and model of CPUs. For all
 * code. A kernel that embeds core implements this header and the others that tools/layers lets core
 * include; arch/x86_64/ is one implementation, and the unit tests link a fake one
 * (tests/unit/fake_arch.c). Functions declared here may be inline instead
 * (arch/x86_64/cpu/inline.h).
 *
 * Contexts nest strictly on one CPU: task < interrupt < debug trap < NMI. "Any context" includes
 * NMIs.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/x86_64/cpu/count.h"
#include "arch/x86_64/cpu/inline.h"

#define ARCH_NAME "x86_64" /* as `uname -m` prints it */

/*
 * Marks a function called on the hit path, in an NMI or in a debugger's stop. The linker places it
 * in .text.hit (linker.ld), where a debugger refuses to insert a breakpoint instruction. Files that
 * consist entirely of such functions are listed in linker.ld instead.
 */
#define ARCH_HIT_TEXT __attribute__((section(".text.hit")))

/* The number of this CPU. Any context; the result stays valid while preemption is off. */
unsigned arch_cpu_id(void);

/*
 * Nanoseconds since boot. All CPUs share one clock, which never goes backwards on any one CPU. Any
 * context.
 */
uint64_t arch_clock_ns(void);

/*
 * Turns interrupts off and returns the argument for arch_irq_restore. NMIs and debug traps still
 * arrive.
 */
uint64_t arch_irq_save(void);
void arch_irq_restore(uint64_t flags);
bool arch_irq_on(void);
void arch_irq_enable(void);

/* Spin-loop hint. */
void arch_relax(void);

/* Halts until the next interrupt; interrupts are on when it returns. Task context. */
void arch_idle(void);

/*
 * Number of debug traps and NMIs in progress on this CPU: 0, 1 or 2. With interrupts off this
 * number identifies the context, because a task and an interrupt cannot preempt each other then.
 * Any context.
 */
unsigned arch_trap_depth(void);

/*
 * True while an interrupt handler is running on this CPU, including while a debug trap or NMI
 * interrupts that handler. Any context.
 */
bool arch_interrupted(void);

/* --- All CPUs. --- */

/*
 * Maximum number of CPUs, including this one. CPUs are numbered from 0, the boot CPU. Any context.
 */
unsigned arch_cpus(void);

/* The brand string of the CPU; never empty. Task and crash context. */
const char *arch_cpu_name(void);

/* CPU vendor, family, model and stepping. Task and crash context. */
struct arch_cpu_kind {
    char maker[13];
    unsigned family, model, stepping;
};

struct arch_cpu_kind arch_cpu_kind(void);

/* False if the CPU has not been started or failed to start. Any context. */
bool arch_cpu_runs(unsigned cpu);

/*
 * Smallest possible difference between the CPU's clock and the boot CPU's, measured within `window`
 * nanoseconds when the CPU started; 0 if the clocks may agree.
 */
int64_t arch_cpu_clock_off(unsigned cpu, uint64_t *window);

#define ARCH_NO_CPU (~0u)

/* Halts this CPU permanently. */
_Noreturn void arch_halt(void);
