/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stops, for a debugger, and its way to memory and registers, but for those that a CPU stands at
 * (arch_stopped_regs, arch/park.h). Which debugger it is, and what it does, is core/gdb's. In a
 * stop all CPUs stand still, interrupts and watches are off, and nothing may trap.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct regs;

enum arch_stop {
    ARCH_STOP_HIT,     /* `wants` or `owns` has said so */
    ARCH_STOP_STEPPED, /* after the one instruction that was asked for */
    ARCH_STOP_BREAK,   /* arch_stop_cpu */
    ARCH_STOP_HERE,    /* arch_stop_here, or a breakpoint instruction that is the code's own */
    ARCH_STOP_DEAD,    /* arch_stop_dead: the machine cannot continue */
};

enum arch_heard { ARCH_HEARD_NOTHING, ARCH_HEARD_NOISE, ARCH_HEARD_STOP };

struct arch_resume {
    bool all;      /* all CPUs continue; or `only` does, and the others stand still meanwhile */
    unsigned only; /* also the one that is stepped; ARCH_NO_CPU: none */
    bool step;     /* `only` makes one instruction, with no interrupt in it */
};

struct arch_debugger {
    /* After hits on this CPU: is there a reason to stop, still? */
    bool (*wants)(unsigned cpu);
    /* This CPU has run the breakpoint instruction at that address: is it the debugger's? */
    bool (*owns)(unsigned cpu, uintptr_t address);
    /* False: this CPU is about something that a stop would cut in two. It is asked again. */
    bool (*may_stop)(unsigned cpu);
    /* All CPUs stand still, but `absent`, if that is none of ARCH_NO_CPU. */
    void (*stopped)(unsigned cpu, enum arch_stop why, unsigned absent, struct arch_resume *resume);
    /*
     * In each NMI of the boot CPU, and all the while that it is parked for another one that runs
     * alone: what its line has said, and whether that is to stop.
     */
    enum arch_heard (*listens)(void);
};

/*
 * From now on stops come here; NULL: no more. While none is attached, nothing pays for it. Called
 * with all other CPUs parked.
 */
void arch_debugger_attach(const struct arch_debugger *with);

/* That CPU stops, as soon as it is not in the middle of a hit. Any context. */
void arch_stop_cpu(unsigned cpu);

/* ... which it has yet to do: it was asked in the middle of one. */
bool arch_stop_is_due(unsigned cpu);

/*
 * This CPU has parked the others for a change of its own (arch_cpus_park), and none of them can
 * continue before that change ends. Any context.
 */
bool arch_park_is_changing(void);

/*
 * The interrupted context stops when it has the CPU again; if it is a program, the caller stops
 * instead. Called in the interrupt's handler, for a debugger that has just been attached.
 */
void arch_stop_interrupted(struct regs *regs);

/* The caller stops. Task context, with a debugger. */
void arch_stop_here(void);

/*
 * All others have been halted for good, and a report has been made: the debugger may look. Crash
 * context.
 */
void arch_stop_dead(struct regs *regs);

/* A breakpoint instruction. */
#define ARCH_BREAKPOINT_SIZE 1

/*
 * What memory there is for a debugger, [address, address + length): read up to the first byte that
 * may not be, whose number is returned. Registers of devices may not be read. Written all or
 * not at all, false: not writable; text is never. A breakpoint instruction is written to text as
 * well, but to none that hits, NMIs or the debugger run; why not is returned, or NULL. In a stop.
 */
size_t arch_debug_read(uintptr_t address, uint8_t *to, size_t length);
bool arch_debug_write(uintptr_t address, const uint8_t *from, size_t length);
const char *arch_breakpoint_write(uintptr_t address, uint8_t *old);
void arch_breakpoint_restore(uintptr_t address, uint8_t old);

/*
 * A debugger's registers: how gdb is told of them, how many bytes each has, what is in it on a CPU
 * that stands still. False: it is not known; or it is not for a debugger to write. In a stop.
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
 * That CPU, stopped in a thread, interrupts on, calls `function` where it resumes, on that thread's
 * stack; `function` ends by arch_stop_here. *kept is what it returns to. False: the stack has no
 * room, or the CPU is not in a thread or not with interrupts on. In a stop.
 */
bool arch_stop_divert(unsigned cpu, void (*function)(void), struct regs *kept);
