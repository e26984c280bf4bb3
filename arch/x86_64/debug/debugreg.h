/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Debug registers, bit by bit. Source: Intel SDM vol. 3, "Debug Registers", tables of DR6 and DR7;
 * AMD APM vol. 2, "Software- Debug Resources", for the same.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "arch/regs.h"
#include "arch/watch.h"

/* DR6, "Debug Status Register": bits set by the processor, never cleared by it. */
#define DR6_FIRED 0xfull        /* B0 to B3: set for disabled breakpoints as well */
#define DR6_BD    (1ull << 13)  /* access to a debug register while DR7.GD */
#define DR6_BS    (1ull << 14)  /* single step */
#define DR6_CLEAR 0xffff0ff0ull /* reserved bits read as 1; RTM and BLD are "active low" */

/* DR7, "Debug Control Register" */
#define DR7_OFF             0x400ull /* bit 10 is fixed 1 */
#define DR7_GLOBAL(i)       (2ull << (2 * (i)))
#define DR7_RW(i, rw)       ((uint64_t)(rw) << (16 + 4 * (i)))
#define DR7_LENGTH(i, bits) ((uint64_t)(bits) << (18 + 4 * (i)))

#define DR7_RW_EXECUTE    0
#define DR7_RW_WRITE      1
#define DR7_RW_READ_WRITE 3

/* The DR7 that arms these watches, watch i in register i. Pure. */
uint64_t debugreg_encode(const struct arch_watch *watches, unsigned count);

/*
 * A debugger's functions for debug traps. `stepped` is called first after a step: it may add to
 * what has fired; if it returns true, `enter` is called after all other handlers. `fired` replaces
 * the arbiter's handler, and calls it. `passed` is called at the end of a trap of the kernel that
 * was another user's step, or nothing. NULL: there is no debugger. Set with all other CPUs parked.
 */
struct debugreg_stop {
    arch_watch_handler *fired;
    bool (*stepped)(struct regs *regs, unsigned *fired);
    void (*enter)(struct regs *regs);
    void (*passed)(struct regs *regs);
};
void debugreg_set_stop(const struct debugreg_stop *with);
void debugreg_watch_fired(unsigned fired, struct regs *regs);

/* Calls that handler for hits instead; returns the one before. With all other CPUs parked. */
arch_watch_handler *debugreg_exchange_fired(arch_watch_handler *handler);

/* True if one of these is an instruction breakpoint: then the instruction has not run yet. */
bool debugreg_is_fault(unsigned fired);

/*
 * debugreg_step: this CPU (in a trap), or a parked one, makes a step when it resumes; in QEMU data
 * watches are off during the step. debugreg_step_over: the step is over, or will not be made; the
 * watches are on again. The entries of all other traps do the same by themselves, as they are not
 * stepped.
 */
void debugreg_step(unsigned cpu);
void debugreg_step_over(unsigned cpu);

/*
 * Whether the kernel steps the context with these registers, in which a trap has interrupted this
 * CPU, or in which another CPU is parked. A flag that a program has set itself is no step: its
 * watches stay on. A debugger's step is not asked about here (stop_step_is_under_way).
 */
bool debugreg_is_stepped(unsigned cpu, const struct regs *regs);

/*
 * The armed watches, watch i in register i. Changed while disarmed, with all other CPUs parked
 * (arch_watch_arm); read by all files of arch/x86_64/debug.
 */
struct debugreg {
    struct arch_watch watches[ARCH_WATCHES];
    uint64_t dr7;
    unsigned armed;    /* bit i: register i */
    unsigned executes; /* ... and is an instruction breakpoint */
    uint64_t changes;  /* how often it has changed */
};
extern struct debugreg debugreg;

/* Finds out which kind of machine this is. At boot, before anything is armed. */
void debugreg_init(void);

/* Writes the registers again: all that is armed and live on this CPU is in them. Interrupts off. */
void debugreg_mend(void);

/* Loads this CPU's debug registers with what is armed on all. Interrupts off. */
void debugreg_load(void);
