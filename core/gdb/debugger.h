/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * gdb attached to this kernel: what ties the protocol, the CPUs' stops and a port together
 * (docs/gdb-stub.md).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "arch/regs.h"
#include "core/lib/print.h"
#include "core/lib/refusal.h"
#include "core/remote/link.h"

/*
 * A port that gdb can have. No other code reads from it while it is open. All are called with all
 * other CPUs parked, or in a stop; `poll` in NMIs of the boot CPU as well.
 */
struct gdb_door {
    const char *name;
    struct gdb_line line;    /* by polling */
    int (*poll)(void);       /* a byte that has come; -1: none */
    void (*listen)(bool on); /* what comes is to reach the boot CPU */
    /* From now on it is gdb's. NULL; or why it cannot break in everywhere. */
    const char *(*open)(void);
    void (*close)(void);
    bool lends_console; /* print() goes to gdb meanwhile */
};

/* gdb's `monitor`: commands of the host's, run while a CPU is stopped. */
struct gdb_monitor {
    /* Makes what it needs, a thread say; may be called again. Task context. */
    void (*start)(void);
    /*
     * Has the command run when all CPUs resume, in place of what that one, which has stopped, was
     * about to do. NULL; or why not. In a stop.
     */
    const char *(*begin)(unsigned cpu, const char *line);
    /* It is running, or has ended and not been told of. Any context. */
    bool (*is_under_way)(void);
    /*
     * In the stop of that CPU, if it is the command's end: true, and what the CPU was about to do
     * is again.
     */
    bool (*end)(unsigned cpu, int *status);
    /*
     * What it prints goes to the one instead of to the console; the other is called once a second.
     * Task context, both. Boot.
     */
    void (*set_print)(size_t (*text_to)(const char *text, size_t length), void (*alive)(void));
};

/*
 * `own` is a port that no other code uses, `lent` the console's, `commands` run for `monitor`; each
 * may be NULL. Boot.
 */
void gdb_init(const struct gdb_door *own, const struct gdb_door *lent,
              const struct gdb_monitor *commands);

/* The port of its own, if there is one; the console's, if that is asked for. NULL: none. */
const struct gdb_door *gdb_door_of(bool console);

/*
 * Says on the console that it waits, and stops here until a gdb at that port lets the machine
 * resume. -EBUSY, where another port has one, or -ETIMEDOUT. Task context.
 */
int gdb_wait_at(const struct gdb_door *with, struct refusal *why);

/*
 * What is wrong on the line, and what gdb does not say itself: why it could not set a point. False:
 * none is attached. Task context, or a stop.
 */
bool gdb_tell(struct sink *to);

/*
 * A byte has come at the port of its own while no gdb is attached. True: a gdb begins, and what
 * follows that byte is its. Interrupt context.
 */
bool gdb_arrived(uint8_t byte, struct regs *regs);

/* Called after each interrupt: a CPU that was to stop in the middle of a hit is asked again. */
void gdb_tick(void);

/*
 * That CPU is about what is sent to gdb, and is not to stand still in the middle of that. In an NMI
 * or a trap of it.
 */
bool gdb_is_sending(unsigned cpu);

/* A panic has been reported, of these registers: stops if a gdb is attached. Any context. */
void gdb_panicked(const struct regs *regs);

/* The machine is about to be switched off: gdb is told. Any context. */
void gdb_exited(void);
