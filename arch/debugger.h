/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stops for a debugger, and its access to memory and registers, except the registers at which a CPU
 * is stopped (arch_stopped_regs, arch/park.h). The debugger itself is core/gdb. In a stop all CPUs
 * are stopped, interrupts and watches are off, and no code may trap.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct regs;

enum arch_stop {
    ARCH_STOP_HIT,     /* `wants` or `owns` has returned true */
    ARCH_STOP_STEPPED, /* the requested single instruction has run */
    ARCH_STOP_BREAK,   /* requested by arch_stop_cpu */
    ARCH_STOP_HERE,    /* arch_stop_here, or a breakpoint instruction in the code itself */
    ARCH_STOP_DEAD,    /* arch_stop_dead: the machine cannot continue */
};

enum arch_heard { ARCH_HEARD_NOTHING, ARCH_HEARD_NOISE, ARCH_HEARD_STOP };

struct arch_resume {
    bool all;      /* all CPUs resume; else only `only` does, and the others stay stopped */
    unsigned only; /* also the CPU that is stepped; ARCH_NO_CPU: none */
    bool step;     /* `only` runs one instruction, without an interrupt in it, while the others
                    * stand still. With `all` the others run before it, for a moment: `only` is
                    * then the CPU that has stopped. If another one stops meanwhile, there is no
                    * step */
};

struct arch_debugger {
    /* Called after hits on this CPU: is there still a reason to stop? */
    bool (*wants)(unsigned cpu);
    /*
     * Called when this CPU serves a request to stop (arch_stop_cpu, `listens`), which may have come
     * on the way into another stop: is there still a reason for it?
     */
    bool (*asks)(unsigned cpu);
    /*
     * This CPU has run the breakpoint instruction at that address: does it belong to the debugger?
     */
    bool (*owns)(unsigned cpu, uintptr_t address);
    /*
     * False: this CPU is doing something that a stop must not interrupt. It is asked again later.
     */
    bool (*may_stop)(unsigned cpu);
    /* All CPUs are stopped, except `absent`, unless that is ARCH_NO_CPU. */
    void (*stopped)(unsigned cpu, enum arch_stop why, unsigned absent, struct arch_resume *resume);
    /*
     * Called in each NMI of the boot CPU, and again and again while it is parked for another CPU
     * that runs alone: what has arrived on the debugger's line, and whether it asks for a stop.
     */
    enum arch_heard (*listens)(void);
};

/*
 * From now on stops are passed to this debugger; NULL: no longer. Without a debugger, this costs
 * nothing. Called with all other CPUs parked.
 */
void arch_debugger_attach(const struct arch_debugger *with);

/* That CPU stops as soon as it is not in the middle of a hit. Any context. */
void arch_stop_cpu(unsigned cpu);

/* True if it has not stopped yet, as it was in the middle of a hit when it was asked. */
bool arch_stop_is_due(unsigned cpu);

/*
 * True if this CPU has parked the others to change something (arch_cpus_park): none of them can
 * continue before the change ends. Any context.
 */
bool arch_park_is_changing(void);

/*
 * The interrupted context stops when it gets the CPU back; if it is a program, the caller stops
 * instead. Called in the interrupt's handler, for a debugger that has just been attached.
 */
void arch_stop_interrupted(struct regs *regs);

/* The caller stops. Task context, with a debugger. */
void arch_stop_here(void);

/*
 * All other CPUs have been halted for ever, and a report has been printed: the debugger may look at
 * the machine. Crash context.
 */
void arch_stop_dead(struct regs *regs);

/*
 * True if the trap of a breakpoint instruction comes to the debugger: it may write them. Any
 * context.
 */
bool arch_breakpoint_is_instruction(void);

/* A breakpoint instruction. */
#define ARCH_BREAKPOINT_SIZE 1

/*
 * A debugger's access to memory, [address, address + length). Reading ends at the first byte that
 * may not be read, and returns the number of bytes before it; registers of devices may not be read.
 * Writing writes all bytes or none; false: not writable. Text is never writable, except for a
 * breakpoint instruction, and not where hits, NMIs or the debugger run; the reason is returned, or
 * NULL. In a stop.
 */
size_t arch_debug_read(uintptr_t address, uint8_t *to, size_t length);
bool arch_debug_write(uintptr_t address, const uint8_t *from, size_t length);
const char *arch_breakpoint_write(uintptr_t address, uint8_t *old);
void arch_breakpoint_restore(uintptr_t address, uint8_t old);

/*
 * A debugger's registers: their description for gdb, the size of each, and its value on a stopped
 * CPU. False: the value is not known; or a debugger may not write it. In a stop.
 */
extern const char arch_debug_description[];
unsigned arch_debug_registers(void);
size_t arch_debug_register_size(unsigned number);
bool arch_debug_register_read(unsigned cpu, unsigned number, uint8_t *bytes);
bool arch_debug_register_write(unsigned cpu, unsigned number, const uint8_t *bytes);

/* Frame pointer, stack pointer and instruction pointer, by number. */
#define ARCH_DEBUG_EXPEDITED 3
extern const unsigned arch_debug_expedited[ARCH_DEBUG_EXPEDITED];

/*
 * Makes a CPU that is stopped in a thread with interrupts on call `function` when it resumes, on
 * that thread's stack; `function` ends by arch_stop_here. *kept are the registers to return to.
 * False: the stack has no room, or the CPU is not in a thread, or has interrupts off. In a stop.
 */
bool arch_stop_divert(unsigned cpu, void (*function)(void), struct regs *kept);
