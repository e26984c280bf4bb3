/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Debug registers, bit by bit. Source: Intel SDM vol. 3, "Debug Registers", tables of DR6 and DR7;
 * AMD APM vol. 2, "Software-Debug Resources", for the same.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "arch/regs.h"
#include "arch/watch.h"

/* DR6, "Debug Status Register": bits set by the processor, never cleared by it. */
#define DR6_FIRED 0xfull        /* B0 to B3: set for disabled breakpoints as well */
#define DR6_BD    (1ull << 13)  /* access to a debug register while DR7.GD is set */
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

/* The DR7 value that arms `watches`, watch i in register i. Pure. */
uint64_t debugreg_encode(const struct arch_watch *watches, unsigned count);

/*
 * A debugger's handlers for debug traps. `stepped` is called first after a step and may add to
 * *fired; if it returns true, `enter` is called after all other handlers. `fired` replaces the
 * arbiter's handler and calls it. `passed` is called at the end of a kernel trap that was another
 * user's step or spurious. NULL: no debugger. Set with all other CPUs parked.
 */
struct debugreg_stop {
    arch_watch_handler *fired;
    bool (*stepped)(struct regs *regs, unsigned *fired);
    void (*enter)(struct regs *regs);
    void (*passed)(struct regs *regs);
};
void debugreg_set_stop(const struct debugreg_stop *with);
void debugreg_watch_fired(unsigned fired, struct regs *regs);

/* Replaces the handler for hits and returns the previous one. With all other CPUs parked. */
arch_watch_handler *debugreg_exchange_fired(arch_watch_handler *handler);

/* True if `fired` includes an instruction breakpoint: the instruction has not run yet. */
bool debugreg_is_fault(unsigned fired);

/*
 * debugreg_step: this CPU (in a trap), or a parked one, steps when it resumes; in QEMU data watches
 * are off during the step. debugreg_step_over: the step has finished or is cancelled; the watches
 * are on again. The entries of all other traps do the same themselves, because their handlers are
 * not stepped.
 */
void debugreg_step(unsigned cpu);
void debugreg_step_over(unsigned cpu);

/*
 * True if the kernel steps the context `regs`, which a trap has interrupted on this CPU or in which
 * another CPU is parked. A trap flag that a program has set itself does not count: its watches stay
 * on. Does not cover the debugger's step (stop_step_is_under_way).
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
    unsigned executes; /* bit i: register i is an instruction breakpoint */
    uint64_t changes;  /* number of changes */
};
extern struct debugreg debugreg;

/* Detects the kind of machine. At boot, before anything is armed. */
void debugreg_init(void);

/* Rewrites this CPU's registers with all watches armed and live on it. Interrupts off. */
void debugreg_mend(void);

/* Loads this CPU's debug registers with the watches armed on all CPUs. Interrupts off. */
void debugreg_load(void);
