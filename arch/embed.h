/* SPDX-License-Identifier: BSD-2-Clause */
/* For core/embed. arch/embed replaces the entries, page tables and stacks of arch/x86_64. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "arch/regs.h"

struct pitot_regs;
struct pitot_trap;

/* Called once at boot, before any other function of arch. */
void arch_embed_init(void);

/*
 * Returns a CPU that was released without calling pitot_cpu_resumes, or ARCH_NO_CPU. Task context.
 */
unsigned arch_embed_cpu_behind(void);

/* True if tools/pitot-tables has filled in the tables. Any context. */
bool arch_embed_has_tables(void);

/* Returns the build ID, from the kernel or the tables; NULL if unknown. */
const uint8_t *arch_embed_build_id(void);

/* Converts a trap's registers to Pitot's own form. Any context. */
struct regs arch_embed_regs(const struct pitot_regs *from);

/* Converts the registers back, leaving the kernel's code selector unchanged. Any context. */
void arch_embed_regs_return(const struct regs *from, struct pitot_regs *to);

/* True if `address` is in the trap entries that the kernel has named. */
bool arch_embed_in_gate(uintptr_t address);

/*
 * Returns the description of the trap entry whose call returns to `address`; NULL if there is none.
 */
const struct pitot_trap *arch_embed_trap(uintptr_t address);

/* Records where debug traps that are not Pitot's continue. Boot. */
void arch_embed_gate_init(void);

/*
 * Returns why debug traps on this CPU miss Pitot, or NULL if none do. Interrupt and task context.
 */
const char *arch_embed_gate_wrong(void);

/*
 * Parks and releases all CPUs. Returns why a CPU (stored in *cpu) would miss breakpoints, or NULL
 * if none would. Task context.
 */
const char *arch_embed_try_cpus(unsigned *cpu);

/*
 * Returns why debug traps on some CPU (stored in *cpu) would not reach Pitot, or NULL if they do on
 * all CPUs. Task context.
 */
const char *arch_embed_gates_wrong(unsigned *cpu);

/* --- For a debugger, in objects built with one (arch/embed/debugger.c). --- */

bool arch_embed_is_debugged(void);

/*
 * Stops if the debugger's line or an earlier request asks for it; the debugger may change these
 * registers. Returns false if it did not stop. Interrupt context, interrupts off.
 */
bool arch_embed_listen(struct pitot_regs *interrupted);

/* Stops for the debugger, if one is attached; the kernel cannot continue. Any context. */
void arch_embed_stop_dead(struct pitot_regs *regs);

/*
 * Called at the end of Pitot's debug traps, unless NULL. Written with interrupts off or in a stop.
 */
extern void (*embed_debug_late)(struct regs *regs);
