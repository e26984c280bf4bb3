/* SPDX-License-Identifier: BSD-2-Clause */
/* For core/embed. arch/embed replaces the entries, page tables and stacks of arch/x86_64. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/regs.h"

/* Called once at boot, before the first breakpoint; until then pitot_debug_trap does nothing. */
void arch_embed_init(void);

/* True if tools/pitot-tables has filled in the tables. Any context. */
bool arch_embed_has_tables(void);

/* Returns the build ID, from the kernel or the tables; NULL if unknown. */
const uint8_t *arch_embed_build_id(void);

/*
 * Gives the clock and the serial lines that the kernel leaves to Pitot. Returns which line is not
 * there, or NULL. Boot.
 */
const char *arch_embed_give(void);

/* --- `frame` of struct pitot_kernel; any context but for the first. --- */

/* Parses it. Returns what is wrong with it, or NULL. Boot. */
const char *arch_embed_frame_init(void);

/* Distances from a frame's beginning to the CPU's part and to the interrupted rbp, in bytes. */
unsigned arch_embed_frame_ip(void);
unsigned arch_embed_frame_bp(void);

unsigned arch_embed_frame_size(void);

/*
 * False if the words where the CPU's part should be cannot be of the kernel's or a program's code,
 * or bit 1 of the flags, which is always set, is clear.
 */
bool arch_embed_is_frame(const void *frame);

/* The register at `offset` in struct regs, as it is in the frame. */
uint64_t arch_embed_word(const void *frame, size_t offset);

/* The registers of a frame in Pitot's own form. */
struct regs arch_embed_regs(const void *frame);
uint64_t arch_embed_selector(uint64_t cs);

/* Store the registers, but for the code selector, or the flags alone, in a frame. */
void arch_embed_regs_return(const struct regs *from, void *frame);
void arch_embed_flags_return(const struct regs *from, void *frame);

/*
 * Called before a return to a program by this frame, which may then have the trap flag
 * (arch_user_steppers). Interrupts off.
 */
void arch_embed_program_returns(void *frame);

/* True if `address` is in the trap entries that the kernel has named. */
bool arch_embed_in_gate(uintptr_t address);

/* True if `address` is where the call of an entry in `traps` returns. */
bool arch_embed_is_trap(uintptr_t address);

/* --- The debug trap's gate (arch/embed/debug_entry.asm). --- */

void embed_debug_entry(void);
bool embed_debug_trap(struct regs *regs);
bool embed_debug_border(struct regs *regs);
void embed_debug_other(struct regs *regs);

/* Top of the CPU's stack of debug traps. Any context. */
uintptr_t arch_embed_debug_stack(unsigned cpu);

/* The CPU on whose stack of debug traps the frame lies; needs no GS. */
unsigned arch_embed_debug_cpu(const struct regs *regs);

/*
 * Top of the stack on which that CPU would have entered the kernel's own gate 1 with this frame. In
 * a debug trap.
 */
uintptr_t arch_embed_next_stack(unsigned cpu, const struct regs *regs);

/*
 * Leads this CPU's debug traps to Pitot. Returns why that cannot be, or NULL. Interrupt and task
 * context.
 */
const char *arch_embed_gate_take(void);

/*
 * Calls `serve` as in a debug trap, on its stack, with the frame's registers, which it may change;
 * NULL: they are unknown. In interrupts and fatal traps.
 */
void arch_embed_as_trap(void *frame, void (*serve)(struct regs *regs));

/*
 * Notes this CPU's GS base, which is the kernel's, for a stop and for traps that find a program's.
 */
void arch_embed_note_gs(void);

/*
 * Parks and releases all CPUs. Returns why a CPU (stored in *cpu) would miss breakpoints, or NULL
 * if none would. Task context.
 */
const char *arch_embed_try_cpus(unsigned *cpu);

/*
 * Returns why the registers of some CPU (stored in *cpu) were not known when it stood last, or
 * NULL. Task context.
 */
const char *arch_embed_frames_wrong(unsigned *cpu);

/* --- For a debugger, in objects built with one (arch/embed/debugger.c). --- */

bool arch_embed_is_debugged(void);

/*
 * Stops the caller, whose interrupts are off, as if they were as in `flags`, of arch_irq_save, and
 * restores them. Task context, with a debugger attached.
 */
void arch_embed_stop_here(uint64_t flags);

/*
 * Stops if the debugger's line or an earlier request asks for it; the debugger may change the
 * frame. Returns false if it did not stop. On CPU 0; interrupt context, interrupts off.
 */
bool arch_embed_listen(void *frame);

/* Stops for the debugger, if one is attached; the kernel cannot continue. Any context. */
void arch_embed_stop_dead(void *frame);

/*
 * Called at the end of Pitot's debug traps, unless NULL. Written with interrupts off or in a stop.
 */
extern void (*embed_debug_late)(struct regs *regs);
