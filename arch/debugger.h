/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * For core/gdb. In a stop all CPUs are stopped, interrupts and watches are off; no code may trap.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct regs;

enum arch_stop {
    ARCH_STOP_HIT,     /* `wants` or `owns` returned true */
    ARCH_STOP_STEPPED, /* the requested single step has completed */
    ARCH_STOP_BREAK,   /* requested by arch_stop_cpu */
    ARCH_STOP_HERE,    /* arch_stop_here, or a breakpoint instruction compiled into the code */
    ARCH_STOP_DEAD,    /* arch_stop_dead: the machine cannot continue */
};

enum arch_heard { ARCH_HEARD_NOTHING, ARCH_HEARD_NOISE, ARCH_HEARD_STOP };

struct arch_resume {
    bool all;      /* all CPUs resume; otherwise only CPU `only` does */
    unsigned only; /* also the CPU to step, or ARCH_NO_CPU */
    bool step;     /* `only` runs one instruction without interrupts while the others stay
                    * stopped. With `all` the others run briefly first, and `only` must be the
                    * CPU that stopped; the step is dropped if another CPU stops meanwhile */
};

struct arch_debugger {
    /* Called after hits on this CPU. Returns true if there is still a reason to stop. */
    bool (*wants)(unsigned cpu);
    /* Called before a request to stop is served. False if another stop has served it already. */
    bool (*asks)(unsigned cpu);
    /* True if the debugger inserted the breakpoint instruction that this CPU ran at `address`. */
    bool (*owns)(unsigned cpu, uintptr_t address);
    /* False if a stop must not interrupt what this CPU does now; it is requested again later. */
    bool (*may_stop)(unsigned cpu);
    /* Called when all CPUs are stopped except `absent`, which may be ARCH_NO_CPU. */
    void (*stopped)(unsigned cpu, enum arch_stop why, unsigned absent, struct arch_resume *resume);
    /*
     * Returns whether nothing, noise or a request to stop has arrived on the debugger's line.
     * Called in each NMI on the boot CPU, and while the boot CPU is parked for another CPU that
     * runs alone.
     */
    enum arch_heard (*listens)(void);
};

/* Directs stops to this debugger, or detaches it if NULL. Called with all other CPUs parked. */
void arch_debugger_attach(const struct arch_debugger *with);

/* Makes that CPU stop once it is outside of hits. Any context. */
void arch_stop_cpu(unsigned cpu);

/* True if the CPU has been asked to stop and has not stopped yet. */
bool arch_stop_is_due(unsigned cpu);

/* True if this CPU has parked the others for a change, so that none can resume. Any context. */
bool arch_park_is_changing(void);

/*
 * Makes the interrupted context stop when it resumes; if that is a program, stops the caller
 * instead. Called in an interrupt handler.
 */
void arch_stop_interrupted(struct regs *regs);

/* Stops the caller. Task context, with a debugger attached. */
void arch_stop_here(void);

/* Lets the debugger inspect a machine whose other CPUs have been halted. Crash context. */
void arch_stop_dead(struct regs *regs);

/*
 * False if that stopped CPU is in a program, or enters one by its next instruction, and the
 * kernel's programs cannot be stepped.
 */
bool arch_stop_steps(unsigned cpu);

/* True if the debugger may insert breakpoint instructions, as their traps reach it. Any context. */
bool arch_breakpoint_is_instruction(void);

#define ARCH_BREAKPOINT_SIZE 1

/*
 * When an execute watch at that address is reported, as hits, NMIs and the debugger run with the
 * debug registers off. Any context.
 */
enum arch_seen {
    ARCH_SEEN_ALWAYS,
    ARCH_SEEN_OUTSIDE, /* only when none of these runs the code */
    ARCH_SEEN_NEVER,   /* nothing else runs it */
    ARCH_SEEN_ENTRY,   /* an entry or exit of the kernel: it may have no watch */
};
enum arch_seen arch_execution_seen(uintptr_t address);

/*
 * Accesses memory [address, address + length) during a stop. A read returns the number of bytes
 * before the first one that cannot be read; device registers count as unreadable. A write either
 * writes all bytes, or writes none and returns false. Text can be changed only by a breakpoint
 * instruction, where the code is ARCH_SEEN_ALWAYS: arch_breakpoint_write returns NULL, or the
 * reason for a refusal.
 */
size_t arch_debug_read(uintptr_t address, uint8_t *to, size_t length);
bool arch_debug_write(uintptr_t address, const uint8_t *from, size_t length);
const char *arch_breakpoint_write(uintptr_t address, uint8_t *old);
void arch_breakpoint_restore(uintptr_t address, uint8_t old);

/*
 * gdb's registers, only during a stop. Reads and writes return false if that CPU's value is unknown
 * or cannot be written.
 */
extern const char arch_debug_description[];
unsigned arch_debug_registers(void);
size_t arch_debug_register_size(unsigned number);
bool arch_debug_register_read(unsigned cpu, unsigned number, uint8_t *bytes);
bool arch_debug_register_write(unsigned cpu, unsigned number, const uint8_t *bytes);

/* Register numbers of the frame pointer, stack pointer and instruction pointer. */
#define ARCH_DEBUG_EXPEDITED 3
extern const unsigned arch_debug_expedited[ARCH_DEBUG_EXPEDITED];

/*
 * Makes a stopped CPU call `function` on its thread's stack when it resumes; `function` must end
 * with arch_stop_here. Stores the registers to return to in *kept. Returns false if the CPU is in a
 * program or an interrupt, has interrupts off, or has no room on its stack. Another kernel's
 * interrupt counts as one only where interrupts are off. Only during a stop.
 */
bool arch_stop_divert(unsigned cpu, void (*function)(void), struct regs *kept);
