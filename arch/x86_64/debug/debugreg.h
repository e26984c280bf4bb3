/* SPDX-License-Identifier: BSD-2-Clause */
/* Sources: Intel SDM vol. 3, "Debug Registers"; AMD APM vol. 2, "Software-Debug Resources". */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "arch/regs.h"
#include "arch/watch.h"

/* DR6, "Debug Status Register": bits set by the processor, never cleared by it. */
#define DR6_FIRED 0xfull        /* B0 to B3, also of disabled breakpoints */
#define DR6_BD    (1ull << 13)  /* access to a debug register while DR7.GD is set */
#define DR6_BS    (1ull << 14)  /* single step */
#define DR6_CLEAR 0xffff0ff0ull /* reserved bits read as 1; RTM and BLD are active low */

/* DR7, "Debug Control Register" */
#define DR7_OFF             0x400ull /* bit 10 is fixed 1 */
#define DR7_GLOBAL(i)       (2ull << (2 * (i)))
#define DR7_RW(i, rw)       ((uint64_t)(rw) << (16 + 4 * (i)))
#define DR7_LENGTH(i, bits) ((uint64_t)(bits) << (18 + 4 * (i)))

/*
 * Returns DR7 with watch i in register i. R/W and LEN: "Debug Control Register (DR7)"; 10b is a LEN
 * of 8 bytes. Pure.
 */
static inline uint64_t debugreg_encode(const struct arch_watch *watches, unsigned count)
{
    static const uint8_t access_bits[] = {
        [ARCH_EXECUTE] = 0, [ARCH_WRITE] = 1, [ARCH_READ_WRITE] = 3};
    uint64_t dr7 = DR7_OFF;

    for (unsigned i = 0; i < count; i++) {
        unsigned length = watches[i].length;

        dr7 |= DR7_GLOBAL(i) | DR7_RW(i, access_bits[watches[i].access]) |
               DR7_LENGTH(i, length == 8 ? 2 : length - 1);
    }
    return dr7;
}

/*
 * A debugger's handlers for debug traps, set with all other CPUs parked; NULL: no debugger.
 * `stepped` is called first after a step and may add to *fired; if it returns true, `enter` is
 * called last. `fired` replaces the arbiter's handler and calls it. `passed` is called at the end
 * of a kernel trap that was another user's step or spurious.
 */
struct debugreg_stop {
    arch_watch_handler *fired;
    bool (*stepped)(struct regs *regs, unsigned *fired);
    void (*enter)(struct regs *regs);
    void (*passed)(struct regs *regs);
};
void debugreg_set_stop(const struct debugreg_stop *with);
void debugreg_watch_fired(unsigned fired, struct regs *regs);

/*
 * Returns `fired` of a program's trap without hits on kernel memory, which may be reported before
 * the program's fault.
 */
unsigned debugreg_reachable(unsigned fired);

/* Replaces the hit handler and returns the previous one. With all other CPUs parked. */
arch_watch_handler *debugreg_exchange_fired(arch_watch_handler *handler);

/*
 * debugreg_step: this CPU (in a trap) or a parked one will step when it resumes; in QEMU data
 * watches are then off. debugreg_step_over: the step is complete or cancelled. The entries of all
 * other traps end a step likewise, as their handlers are not stepped.
 */
void debugreg_step(unsigned cpu);
void debugreg_step_over(unsigned cpu);

/*
 * True if the kernel steps the context `regs`, interrupted on this CPU or parked on another; false
 * for a program's own trap flag, and for a debugger's step (stop_step_is_under_way).
 */
bool debugreg_is_stepped(unsigned cpu, const struct regs *regs);

/* Watch i is in register i. Written by arch_watch_arm, with all other CPUs parked. */
struct debugreg {
    struct arch_watch watches[ARCH_WATCHES];
    uint64_t dr7;
    unsigned armed;    /* bit i: register i is armed */
    unsigned executes; /* bit i: register i traps before its instruction runs */
    uint64_t changes;  /* number of changes */
};
extern struct debugreg debugreg;

/* Detects the kind of machine. Boot, before anything is armed. */
void debugreg_init(void);

/* Loads the watches armed on all CPUs into this CPU's registers. Interrupts off. */
void debugreg_load(void);
