/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Traps: vectors (Intel SDM vol. 3, "Protected-Mode Exceptions and Interrupts"), handlers, which
 * run with interrupts off, on the interrupted stack if it has room, and the entries' tables.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "arch/regs.h"

#define VECTOR_DEBUG           1
#define VECTOR_NMI             2
#define VECTOR_BREAKPOINT      3
#define VECTOR_DOUBLE_FAULT    8
#define VECTOR_INVALID_TSS     10
#define VECTOR_NOT_PRESENT     11
#define VECTOR_STACK_SEGMENT   12
#define VECTOR_PROTECTION      13
#define VECTOR_PAGE_FAULT      14
#define VECTOR_MACHINE_CHECK   18
#define VECTOR_FIRST_INTERRUPT 32
#define VECTOR_APIC_TIMER      0xf0
#define VECTOR_APIC_POKE       0xf1 /* from another CPU: arch_cpu_poke */
#define VECTOR_APIC_BUTTON     0xf2 /* NMI button: apic_set_button */
#define VECTOR_APIC_SPURIOUS   0xff /* "Spurious Interrupt", not acknowledged */

/* --- Handlers. --- */

typedef void trap_handler(struct regs *regs);

/*
 * Sets the vector's handler, or NULL if the vector is unexpected. Returns the previous handler.
 * Boot, or interrupts off.
 */
trap_handler *trap_set_handler(unsigned vector, trap_handler *handler);

/* --- Called by trap_entry.asm. --- */
struct regs *trap_land(struct regs *frame);
void trap_dispatch(struct regs *regs);
void trap_late(struct regs *regs);
_Noreturn void trap_fatal(struct regs *regs);
/*
 * debug_trap serves any debug trap, which may have several causes (B0 to B3, BS). Returns NULL, or
 * the frame's new address if trap_dispatch has to pass the trap to a program. debug_trap_inside
 * serves traps inside the kernel but outside of its entries and exits.
 */
struct regs *debug_trap(struct regs *regs);
void debug_trap_inside(struct regs *regs);
struct regs *break_trap(struct regs *regs);
void nmi_trap(struct regs *regs); /* kernel/x86_64/entry/nmi.c */

/*
 * Returns from a debug trap or #BP from the middle of its handler, after a debugger's stop. If
 * another stop is requested, first calls `late`, which may return and is set with all other CPUs
 * parked.
 */
_Noreturn void watch_return(struct regs *frame); /* kernel/x86_64/entry/trap_entry.asm */
void trap_set_late(trap_handler *late);

/*
 * Returns the frame of the debug trap or exception of this CPU on whose stack `sp` lies, or NULL.
 */
struct regs *trap_frame_of(uintptr_t sp);

/* A handler called first in each program exception, or NULL. Set with all other CPUs parked. */
void trap_set_program_handler(trap_handler *handler);

/* For an NMI of unknown source: calls regs->vector's handler or reports it. On the NMI's page. */
void trap_nmi(struct regs *regs);

/* Called before a return to a program (arch_user_step_set_handlers). */
void debug_leave(struct regs *regs);

/* Called after an instruction of a program with the trap flag set; `stepped` of the same. */
bool debug_program_stepped(struct regs *regs);

/* Called before a trap returns to a stepped context (arch_step_set_handlers). */
void debug_resume(struct regs *regs);

/* --- Tables of the entries. --- */

/* One stub of this size per vector, in order. */
#define TRAP_STUB_SIZE 16
extern const char trap_stubs[];

/* Return addresses of the calls that the entries make with a struct regs on top of the stack. */
extern const uintptr_t trap_returns[], trap_returns_end[];

/* Ranges [from, to) in which cs is the kernel's and sp a program's. */
struct trap_border {
    uintptr_t from, to;
};
extern const struct trap_border trap_borders[], trap_borders_end[];

/*
 * Ranges from the check for a requested stop to the end of a debug trap or #BP, and the address of
 * that check.
 */
extern const struct trap_border trap_tails[], trap_tails_end[];
extern const uintptr_t trap_look;

/* A debug trap handler's usual return address, and that for a requested stop (stop_entries.c). */
struct debug_return {
    uintptr_t usual, asked;
};
extern const struct debug_return debug_returns[], debug_returns_end[];

/* The address of the `iretq`, to a program or the kernel, of all vectors but #DB, NMI and #BP. */
extern const uintptr_t trap_iretq;

/* The addresses of `clac` in the entries (idt_init). */
extern const uintptr_t trap_clacs[], trap_clacs_end[];

/*
 * --- NMIs of a clock that all CPUs share (docs/sources.md), beside those by which CPUs reach each
 * other (rendezvous.h). nmi_trap serves both, on the NMI's page, watches off. ---
 */

/*
 * A clock that sends NMIs to the boot CPU, which forwards them. `came` is called on the boot CPU in
 * every NMI and returns true if the clock has sent one since the last call. `serve` is called on
 * each CPU except one that parks the others, with the interrupted registers and the time at which
 * the NMI began (arch_clock_ns). Boot.
 */
struct nmi_clock {
    bool (*came)(void);
    void (*serve)(const struct regs *regs, uint64_t began);
};
void nmi_set_clock(const struct nmi_clock *with);

/* The current clock, for code that wraps its functions. With all other CPUs parked. */
struct nmi_clock nmi_clock_now(void);

/* Stops serving the clock. Crash context. */
void nmi_clock_end(void);

/* The clock is being stopped: one more of its NMIs may arrive. Any context. */
void nmi_clock_lingers(void);
