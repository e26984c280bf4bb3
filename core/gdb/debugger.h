/* SPDX-License-Identifier: BSD-2-Clause */
/* Attaches gdb to this kernel: connects the protocol, the CPUs' stops and a port (docs/gdb.md). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "arch/regs.h"
#include "core/gdb/link.h"
#include "core/lib/print.h"
#include "core/lib/refusal.h"

/*
 * A port that gdb can use. No other code reads it while it is open. All functions are called with
 * the other CPUs parked, or in a stop; `poll` also in NMIs of the boot CPU.
 */
struct gdb_door {
    const char *name;
    struct gdb_line line;    /* access that polls the port */
    int (*poll)(void);       /* the next byte received; -1: none */
    void (*listen)(bool on); /* on: received bytes interrupt the boot CPU */
    /* Called when gdb takes the port. Returns NULL, or why ^C cannot interrupt all code. */
    const char *(*open)(void);
    void (*close)(void);
    bool lends_console; /* print() goes to gdb while the port is open */
};

/* Sets gdb's own port and the console's; each may be NULL. Called at boot. */
void gdb_init(const struct gdb_door *own, const struct gdb_door *lent);

/* Returns gdb's own port, or the console's if `console` or if gdb has none. NULL: there is none. */
const struct gdb_door *gdb_door_of(bool console);

/*
 * Prints a message and stops here until a gdb at that port resumes the machine. Returns -EBUSY if
 * gdb is attached at another port, or -ETIMEDOUT. Task context.
 */
int gdb_wait_at(const struct gdb_door *with, struct refusal *why);

/* Prints the state of gdb's line. Returns false if no gdb is attached. Task context, or a stop. */
bool gdb_tell(struct sink *to);

/*
 * Called when a byte has arrived at gdb's own port. Returns true if gdb is now attached; it then
 * reads the following bytes. In interrupts.
 */
bool gdb_arrived(uint8_t byte, struct regs *regs);

/* Called after each interrupt: repeats stop requests to CPUs that could not stop during a hit. */
void gdb_tick(void);

/* True if that CPU is sending to gdb and must not stop. Called in an NMI or a trap on that CPU. */
bool gdb_is_sending(unsigned cpu);

/* Called after a panic with these registers was reported: stops if gdb is attached. Any context. */
void gdb_panicked(const struct regs *regs);

/* Tells gdb that the machine is about to be switched off. Task context, or a stop. */
void gdb_exited(void);
