/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Interface between core/embed and arch/embed, which replaces the entries, page tables and stacks
 * of arch/x86_64 when Pitot runs inside another kernel. For core/embed alone.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "arch/regs.h"

struct pitot_kernel;
struct pitot_regs;
struct pitot_trap;

/* Called once at boot, before any other function of arch. */
void arch_embed_init(const struct pitot_kernel *with);

/* True if the kernel reports where stacks are, so that call chains can be recorded. */
bool arch_embed_has_stacks(void);

/* True if the kernel has no other CPUs, or can stop them. */
bool arch_embed_can_park(void);

/*
 * A CPU that runs without the armed breakpoints because it was released and did not call
 * pitot_cpu_resumes; ARCH_NO_CPU: none. Task context.
 */
unsigned arch_embed_cpu_behind(void);

/* True if tools/pitot-tables has filled in the tables. Any context. */
bool arch_embed_has_tables(void);

/* The build ID, from the kernel or from the tables; NULL: unknown. */
const uint8_t *arch_embed_build_id(void);

/* The argument of pitot_init. Any context. */
const struct pitot_kernel *arch_embed_kernel(void);

/* Converts a trap's registers to Pitot's own form. Any context. */
struct regs arch_embed_regs(const struct pitot_regs *from);

/* Converts them back, leaving the kernel's code selector unchanged. Any context. */
void arch_embed_regs_return(const struct regs *from, struct pitot_regs *to);

/* True if `address` is inside the kernel's trap entries, as far as the kernel has named them. */
bool arch_embed_in_gate(uintptr_t address);

/*
 * Layout of the registers saved by the trap entry whose call into C returns to `address`; NULL: no
 * such entry.
 */
const struct pitot_trap *arch_embed_trap(uintptr_t address);

/* Records where debug traps that are not Pitot's continue. Boot. */
void arch_embed_gate_init(const struct pitot_kernel *kernel);

/*
 * The reason why this CPU's debug traps would not reach Pitot; NULL: they do. Interrupt and task
 * context.
 */
const char *arch_embed_gate_wrong(void);

/*
 * Parks and releases all CPUs as a test. Returns why breakpoints would not be hit on *cpu; NULL:
 * they are hit on every CPU. Task context.
 */
const char *arch_embed_try_cpus(unsigned *cpu);

/*
 * Returns why debug traps of *cpu, which has resumed, would not reach Pitot; NULL: those of every
 * CPU do. Task context.
 */
const char *arch_embed_gates_wrong(unsigned *cpu);

/* --- Debugger support, in objects built with it (arch/embed/debugger.c). --- */

/* True if a debugger is attached. Any context. */
bool arch_embed_is_debugged(void);

/*
 * Stops with these registers, which the debugger may change, if the debugger's line requests a
 * stop. False: it does not, or no debugger is attached, or the registers are a program's. Interrupt
 * context, interrupts off.
 */
bool arch_embed_listen(struct pitot_regs *interrupted);

/* Stops if a debugger is attached; the kernel cannot continue afterwards. Any context. */
void arch_embed_stop_dead(struct pitot_regs *regs);

/*
 * Called at the end of each debug trap while a debugger is attached; NULL otherwise. Written with
 * interrupts off, or in a stop.
 */
extern void (*embed_debug_late)(struct regs *regs);
