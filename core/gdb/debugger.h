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

/* The host's commands for gdb's `monitor`, run while a CPU is stopped. */
struct gdb_monitor {
    /* Creates what commands need, for example a thread; may be called again. Task context. */
    void (*start)(void);
    /*
     * Called in a stop: returns true if the line is no command, which it has printed. Then `begin`
     * is not called, and the machine does not run.
     */
    bool (*refuse_unknown)(const char *line, struct sink *to);
    /*
     * Called in a stop: prepares a command, which the stopped CPU runs once all CPUs have resumed.
     * Returns NULL, or why the command cannot run.
     */
    const char *(*begin)(unsigned cpu, const char *line);
    /* True if a command is running, or its end has not been reported to gdb. Any context. */
    bool (*is_under_way)(void);
    /*
     * Called in a stop of that CPU. Returns true if the command has ended, once it has restored the
     * CPU's own context.
     */
    bool (*end)(unsigned cpu);
    /*
     * Called at boot. From then on, commands print by `text_to` and call `alive` once a second,
     * both in task context.
     */
    void (*set_print)(size_t (*text_to)(const char *text, size_t length), void (*alive)(void));
};

/* Sets gdb's own port, the console's port and the commands; each may be NULL. Called at boot. */
void gdb_init(const struct gdb_door *own, const struct gdb_door *lent,
              const struct gdb_monitor *commands);

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
