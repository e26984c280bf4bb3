/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the part for another kernel's CPUs and memory is told: for core/embed alone. Implemented by
 * arch/embed, which stands in for the entries, page tables and stacks of arch/x86_64.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "arch/regs.h"

struct pitot_kernel;
struct pitot_regs;
struct pitot_trap;

/* Boot, once, before anything else of arch is asked. */
void arch_embed_init(const struct pitot_kernel *with);

/* The kernel says where stacks lie: call chains are possible. */
bool arch_embed_has_stacks(void);

/* The kernel can stop its other CPUs, or it has none. */
bool arch_embed_can_park(void);

/*
 * A CPU that runs without the breakpoints that are armed, as it was let go and did not call
 * pitot_cpu_resumes; ARCH_NO_CPU: none. Task context.
 */
unsigned arch_embed_cpu_behind(void);

/* tools/pitot-tables has been there. Any context. */
bool arch_embed_has_tables(void);

/* The build's id, as the kernel gives it or the tables have it; NULL: it is not known. */
const uint8_t *arch_embed_build_id(void);

/* What pitot_init was given. Any context. */
const struct pitot_kernel *arch_embed_kernel(void);

/* A trap's registers, as the rest of Pitot has them. Any context. */
struct regs arch_embed_regs(const struct pitot_regs *from);

/* ... and back, but for the selector, which is the kernel's. Any context. */
void arch_embed_regs_return(const struct regs *from, struct pitot_regs *to);

/* The code at `address` is that of the kernel's trap entries, as far as it has named them. */
bool arch_embed_in_gate(uintptr_t address);

/* The saved registers of a trap entry that returns to `address`; NULL: it is none of these. */
const struct pitot_trap *arch_embed_trap(uintptr_t address);

/* Where debug traps of others go is known from here on. Boot. */
void arch_embed_gate_init(const struct pitot_kernel *kernel);

/* Why this CPU's debug traps would not come to Pitot; NULL: they do. Interrupt and task context. */
const char *arch_embed_gate_wrong(void);

/*
 * Lets all CPUs stand still and resume. Why breakpoints would not be hit on one of them, and which
 * it is; NULL: they would. Task context.
 */
const char *arch_embed_try_cpus(unsigned *cpu);

/*
 * ... and why those of a CPU that has resumed would not, and which it is; NULL: they all do. Task
 * context.
 */
const char *arch_embed_gates_wrong(unsigned *cpu);

/* --- A debugger, in objects that are made with it (arch/embed/debugger.c). --- */

/* A debugger is attached. Any context. */
bool arch_embed_is_debugged(void);

/*
 * Stops at these registers, and changes them, if the debugger's line asks for it; false: it does
 * not, or no debugger is attached, or they are a program's. Interrupt context, interrupts off.
 */
bool arch_embed_listen(struct pitot_regs *interrupted);

/* The kernel cannot continue from there: stops, if a debugger is attached. Any context. */
void arch_embed_stop_dead(struct pitot_regs *regs);

/*
 * Called at the end of each debug trap while a debugger is attached; else NULL. Written with
 * interrupts off, or in a stop.
 */
extern void (*embed_debug_late)(struct regs *regs);
