/* SPDX-License-Identifier: BSD-2-Clause */
/* Attaches gdb to this kernel: connects the protocol, the CPUs' stops and a port (docs/gdb.md). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "arch/regs.h"
#include "core/gdb/link.h"
#include "core/lib/print.h"
#include "core/lib/refusal.h"

/* Returns gdb's own port, or the console's if `console` or if gdb has none. NULL: there is none. */
const struct gdb_door *gdb_door_of(bool console);

/*
 * Prints a message and stops here until a gdb at that port resumes the machine. Returns -EBUSY if
 * gdb is attached at another port, or -ETIMEDOUT. Task context.
 */
int gdb_wait_at(const struct gdb_door *with, struct refusal *why);

/* Prints the state of gdb's line. Returns false if no gdb is attached. Task context, or a stop. */
bool gdb_tell(struct sink *to);

/* Called after each interrupt: repeats stop requests to CPUs that could not stop during a hit. */
void gdb_tick(void);

/* True if that CPU is sending to gdb and must not stop. Called in an NMI or a trap on that CPU. */
bool gdb_is_sending(unsigned cpu);

/*
 * Called after a panic with these registers was reported: stops if gdb is attached, which may write
 * to them. Any context.
 */
void gdb_panicked(struct regs *dead);
