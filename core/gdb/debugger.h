/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * gdb attached to this kernel: connects the protocol, the CPUs' stops and a port
 * (docs/gdb.md).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "arch/regs.h"
#include "core/gdb/link.h"
#include "core/lib/print.h"
#include "core/lib/refusal.h"

/*
 * A port that gdb can use. No other code reads from it while it is open. All functions are called
 * with all other CPUs parked, or in a stop; `poll` is also called in NMIs of the boot CPU.
 */
struct gdb_door {
    const char *name;
    struct gdb_line line;    /* by polling the port */
    int (*poll)(void);       /* the next byte that has arrived; -1: none */
    void (*listen)(bool on); /* on: arriving bytes interrupt the boot CPU */
    /*
     * From now on gdb uses the port. Returns NULL, or the reason why ^C cannot interrupt all code.
     */
    const char *(*open)(void);
    void (*close)(void);
    bool lends_console; /* meanwhile print() goes to gdb */
};

/* gdb's `monitor`: commands of the host, run while a CPU is stopped. */
struct gdb_monitor {
    /* Makes what it needs, for example a thread; may be called again. Task context. */
    void (*start)(void);
    /*
     * Lets the stopped CPU run the command when all CPUs resume, before it continues with its own
     * code. Returns NULL, or why this is not possible. In a stop.
     */
    const char *(*begin)(unsigned cpu, const char *line);
    /* The command is running, or has ended and gdb has not been told. Any context. */
    bool (*is_under_way)(void);
    /*
     * Called in a stop of that CPU. If the stop is the command's end, restores the CPU's own
     * context and returns true.
     */
    bool (*end)(unsigned cpu, int *status);
    /*
     * What a command prints goes to `text_to` instead of the console; `alive` is called once a
     * second. Both run in task context. Called at boot.
     */
    void (*set_print)(size_t (*text_to)(const char *text, size_t length), void (*alive)(void));
};

/*
 * `own` is a port that no other code uses, `lent` is the console's port, and `commands` run for
 * `monitor`; each may be NULL. Called at boot.
 */
void gdb_init(const struct gdb_door *own, const struct gdb_door *lent,
              const struct gdb_monitor *commands);

/* gdb's own port, if there is one; the console's port if `console`. NULL: there is none. */
const struct gdb_door *gdb_door_of(bool console);

/*
 * Prints that it waits, and stops here until a gdb at that port lets the machine resume. -EBUSY if
 * gdb is attached at another port, or -ETIMEDOUT. Task context.
 */
int gdb_wait_at(const struct gdb_door *with, struct refusal *why);

/*
 * Prints the errors on the line, and what gdb itself does not tell: why a point could not be set.
 * False: no gdb is attached. Task context, or a stop.
 */
bool gdb_tell(struct sink *to);

/*
 * A byte has arrived at gdb's own port while no gdb is attached. True: a gdb begins, and the bytes
 * that follow belong to it. Interrupt context.
 */
bool gdb_arrived(uint8_t byte, struct regs *regs);

/*
 * Called after each interrupt: a CPU that could not stop, as it was in the middle of a hit, is
 * asked again.
 */
void gdb_tick(void);

/*
 * True if that CPU is sending to gdb, so that it must not be stopped in the middle. Called in an
 * NMI or a trap on that CPU.
 */
bool gdb_is_sending(unsigned cpu);

/* A panic with these registers has been reported: stops if a gdb is attached. Any context. */
void gdb_panicked(const struct regs *regs);

/* Tells gdb that the machine is about to be switched off. Task context, or a stop. */
void gdb_exited(void);
