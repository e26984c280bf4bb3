/* SPDX-License-Identifier: BSD-2-Clause */
/* For core/gdb. In a stop all CPUs are stopped, interrupts and watches off; no code may trap. */
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
    /* Called after hits on this CPU: true if there is still a reason to stop. */
    bool (*wants)(unsigned cpu);
    /* This CPU is to serve a request to stop: false if another stop has already served it. */
    bool (*asks)(unsigned cpu);
    /* True if the debugger inserted the breakpoint instruction that this CPU ran at `address`. */
    bool (*owns)(unsigned cpu, uintptr_t address);
    /* False: a stop must not interrupt what this CPU does now; it is asked again later. */
    bool (*may_stop)(unsigned cpu);
    /* All CPUs are stopped except `absent`, which may be ARCH_NO_CPU. */
    void (*stopped)(unsigned cpu, enum arch_stop why, unsigned absent, struct arch_resume *resume);
    /*
     * What has arrived on the debugger's line, and whether it requests a stop. Called in each NMI
     * on the boot CPU, and while the boot CPU is parked for another CPU that runs alone.
     */
    enum arch_heard (*listens)(void);
};

/* Directs stops to this debugger; NULL: detaches. With all other CPUs parked. */
void arch_debugger_attach(const struct arch_debugger *with);

/* Makes that CPU stop once it is outside of hits. Any context. */
void arch_stop_cpu(unsigned cpu);

/* True if the CPU has been asked to stop and has not stopped yet. */
bool arch_stop_is_due(unsigned cpu);

/* True if this CPU has parked the others for a change: none can resume meanwhile. Any context. */
bool arch_park_is_changing(void);

/* Stops the interrupted context when it resumes, or for a program the caller. In an interrupt. */
void arch_stop_interrupted(struct regs *regs);

/* Stops the caller. Task context, with a debugger attached. */
void arch_stop_here(void);

/* Lets the debugger inspect a machine whose other CPUs have been halted. Crash context. */
void arch_stop_dead(struct regs *regs);

/* True if the debugger may insert breakpoint instructions: their traps reach it. Any context. */
bool arch_breakpoint_is_instruction(void);

#define ARCH_BREAKPOINT_SIZE 1

/*
 * Access to memory [address, address + length). A read returns the number of bytes before the first
 * that may not be read; device registers may not. A write writes all bytes, or none and returns
 * false. Text can only be changed by a breakpoint instruction, which is refused in code that hits,
 * NMIs or the debugger use: arch_breakpoint_write returns the reason, or NULL. In a stop.
 */
size_t arch_debug_read(uintptr_t address, uint8_t *to, size_t length);
bool arch_debug_write(uintptr_t address, const uint8_t *from, size_t length);
const char *arch_breakpoint_write(uintptr_t address, uint8_t *old);
void arch_breakpoint_restore(uintptr_t address, uint8_t old);

/* gdb's registers. False: that CPU's value is unknown, or may not be written. In a stop. */
extern const char arch_debug_description[];
unsigned arch_debug_registers(void);
size_t arch_debug_register_size(unsigned number);
bool arch_debug_register_read(unsigned cpu, unsigned number, uint8_t *bytes);
bool arch_debug_register_write(unsigned cpu, unsigned number, const uint8_t *bytes);

/* Register numbers of the frame pointer, stack pointer and instruction pointer. */
#define ARCH_DEBUG_EXPEDITED 3
extern const unsigned arch_debug_expedited[ARCH_DEBUG_EXPEDITED];

/*
 * Makes a stopped CPU call `function`, which ends with arch_stop_here, on its thread's stack when
 * it resumes. *kept: the registers to return to. False: interrupts off, or no room on such a stack.
 * In a stop.
 */
bool arch_stop_divert(unsigned cpu, void (*function)(void), struct regs *kept);
