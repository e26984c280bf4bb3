/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Debugger stops, and the debugger's access to memory and registers. arch_stopped_regs
 * (arch/park.h) gives the registers at which a CPU is stopped. The debugger itself is core/gdb.
 * During a stop all CPUs are stopped, interrupts and watches are off, and no code may trap.
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
    unsigned only; /* also the CPU to step; ARCH_NO_CPU: none */
    bool step;     /* `only` runs one instruction, with no interrupt during it, while the others
                    * stay stopped. With `all` the others first run briefly, and `only` must be
                    * the CPU that stopped; if another CPU stops meanwhile, the step is dropped */
};

struct arch_debugger {
    /* Called after hits on this CPU: returns whether there is still a reason to stop. */
    bool (*wants)(unsigned cpu);
    /*
     * Called when this CPU handles a stop request (arch_stop_cpu, `listens`), which may have
     * arrived while the CPU was entering another stop: returns whether the request is still valid.
     */
    bool (*asks)(unsigned cpu);
    /*
     * This CPU executed the breakpoint instruction at `address`: returns whether the debugger
     * inserted it.
     */
    bool (*owns)(unsigned cpu, uintptr_t address);
    /*
     * False: this CPU is doing something that a stop must not interrupt; it is asked again later.
     */
    bool (*may_stop)(unsigned cpu);
    /* All CPUs are stopped except `absent`, if that is not ARCH_NO_CPU. */
    void (*stopped)(unsigned cpu, enum arch_stop why, unsigned absent, struct arch_resume *resume);
    /*
     * Called in each NMI on the boot CPU, and repeatedly while the boot CPU is parked for another
     * CPU that runs alone: returns what has arrived on the debugger's line, and whether it requests
     * a stop.
     */
    enum arch_heard (*listens)(void);
};

/*
 * Directs stops to this debugger from now on; NULL detaches it. Costs nothing while no debugger is
 * attached. Called with all other CPUs parked.
 */
void arch_debugger_attach(const struct arch_debugger *with);

/* Makes that CPU stop as soon as it is not inside a hit. Any context. */
void arch_stop_cpu(unsigned cpu);

/* True if the CPU has not stopped yet because it was inside a hit when asked to. */
bool arch_stop_is_due(unsigned cpu);

/*
 * True if this CPU has parked the others to change something (arch_cpus_park), so none of them can
 * resume until the change ends. Any context.
 */
bool arch_park_is_changing(void);

/*
 * Stops the interrupted context when it resumes; if it is a program, stops the caller instead.
 * Called from an interrupt handler, for a debugger that has just been attached.
 */
void arch_stop_interrupted(struct regs *regs);

/* Stops the caller. Task context, with a debugger attached. */
void arch_stop_here(void);

/*
 * Lets the debugger inspect the machine after all other CPUs have been halted permanently and a
 * report has been printed. Crash context.
 */
void arch_stop_dead(struct regs *regs);

/*
 * True if the trap of a breakpoint instruction reaches the debugger, so that the debugger may
 * insert such instructions. Any context.
 */
bool arch_breakpoint_is_instruction(void);

/* Size of a breakpoint instruction, in bytes. */
#define ARCH_BREAKPOINT_SIZE 1

/*
 * Debugger access to memory [address, address + length). A read stops at the first byte that may
 * not be read and returns the number of bytes before it; device registers may not be read. A write
 * writes all bytes or none; it returns false if a byte is not writable. Text is never writable
 * except for inserting a breakpoint instruction, which is refused in code that hits, NMIs or the
 * debugger use; arch_breakpoint_write returns the reason, or NULL. In a stop.
 */
size_t arch_debug_read(uintptr_t address, uint8_t *to, size_t length);
bool arch_debug_write(uintptr_t address, const uint8_t *from, size_t length);
const char *arch_breakpoint_write(uintptr_t address, uint8_t *old);
void arch_breakpoint_restore(uintptr_t address, uint8_t old);

/*
 * Registers as gdb sees them: the target description, the size of each register, and its value on a
 * stopped CPU. False: the value is unknown, or a debugger may not write it. In a stop.
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
 * Makes a stopped CPU call `function` on the current thread's stack when the CPU resumes;
 * `function` ends with arch_stop_here. *kept receives the registers to return to. False: the CPU is
 * not in a thread, has interrupts off, or the stack has no room. In a stop.
 */
bool arch_stop_divert(unsigned cpu, void (*function)(void), struct regs *kept);
