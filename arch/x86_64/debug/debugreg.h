/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Debug registers, bit by bit. Source: Intel SDM vol. 3, "Debug Registers", tables of DR6 and DR7;
 * AMD APM vol. 2, "Software- Debug Resources", for the same.
 */
#pragma once

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
#define DR7_EXACT           (1ull << 9) /* GE: ignored since P6, asked for by older manuals */

#define DR7_RW_EXECUTE    0
#define DR7_RW_WRITE      1
#define DR7_RW_READ_WRITE 3

/* The DR7 that arms these watches, watch i in register i. Pure. */
uint64_t debugreg_encode(const struct arch_watch *watches, unsigned count);

/*
 * A debugger's part in debug traps. After a step `stepped` is called first: it may add to what has
 * fired, and true has `enter` called when all others have been told. `fired` takes the place of the
 * arbiter's handler, which it calls. `passed` is called at the end of a trap of the kernel's that
 * was a step of another user, or nothing. NULL: there is no debugger. With all other CPUs parked.
 */
struct debugreg_stop {
    arch_watch_handler *fired;
    bool (*stepped)(struct regs *regs, unsigned *fired);
    void (*enter)(struct regs *regs);
    void (*passed)(struct regs *regs);
};
void debugreg_set_stop(const struct debugreg_stop *with);
void debugreg_watch_fired(unsigned fired, struct regs *regs);

/* One of these is an instruction breakpoint's: the instruction is yet to run. */
bool debugreg_is_fault(unsigned fired);

/*
 * That CPU, this one in a trap or a parked one, makes a step when it resumes: in QEMU data watches
 * rest for it. debugreg_step_over: the step is over, or will not be made, and they are back.
 * Entries of traps other than the step's own do the same by themselves, as they are not stepped.
 */
void debugreg_step(unsigned cpu);
void debugreg_step_over(unsigned cpu);

/*
 * What is armed, watch i in register i: changed while disarmed, with all other CPUs parked
 * (arch_watch_arm); read by all of arch/x86_64/debug.
 */
struct debugreg {
    struct arch_watch watches[ARCH_WATCHES];
    uint64_t dr7;
    unsigned armed;    /* bit i: register i */
    unsigned executes; /* ... and it is an instruction breakpoint */
    uint64_t changes;  /* how often it has changed */
};
extern struct debugreg debugreg;

/* Looks which machine this is. Boot, before anything is armed. */
void debugreg_init(void);

/* All that is armed and live on this CPU is in its registers from here on. Interrupts off. */
void debugreg_mend(void);

/* What is in the watched words; and which of them have other bytes now. */
void debugreg_read_data(uint64_t words[ARCH_WATCHES]);
unsigned debugreg_changed_data(const uint64_t words[ARCH_WATCHES]);

/* Loads this CPU's debug registers with what is armed on all. Interrupts off. */
void debugreg_load(void);
