/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * gdb attached to this kernel: what ties the protocol, the CPUs' stops and a port together
 * (docs/gdb-stub.md).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "arch/arch.h"
#include "core/gdb/link.h"
#include "core/lib/print.h"
#include "core/lib/refusal.h"

/*
 * A port that gdb can have. Nobody else reads from it while it is open. All are called with all
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

/* `own` is a port that nobody else wants, `lent` the console's; either may be NULL. Boot. */
void gdb_init(const struct gdb_door *own, const struct gdb_door *lent);

/* The port of its own, if there is one; the console's, if that is asked for. NULL: none. */
const struct gdb_door *gdb_door_of(bool console);

/*
 * Says on the console that it waits, and stops here until a gdb at that port lets the machine go
 * on. -EBUSY, where another port has one,
 * or -ETIMEDOUT. Task context.
 */
int gdb_wait_at(const struct gdb_door *with, struct refusal *why);

/*
 * What is wrong on the line, and what gdb does not say itself: why it could not set a point. False:
 * none is attached. Task context, or a stop.
 */
bool gdb_tell(struct sink *to);

/*
 * A byte has come at the port of its own while nobody is attached. True: a gdb begins, and what is
 * behind that byte is its. Interrupt context.
 */
bool gdb_arrived(uint8_t byte, struct regs *regs);

/* Whoever was to stop in the middle of a hit is asked again. Behind each interrupt. */
void gdb_tick(void);

/*
 * That CPU is about what is sent to gdb, and is not to stand still in the middle of that. In an NMI
 * or a trap of it.
 */
bool gdb_is_sending(unsigned cpu);

/* The machine is about to be switched off: gdb is told. Any context. */
void gdb_farewell(void);
