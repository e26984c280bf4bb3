/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Points, which are gdb's breakpoints and watchpoints, changed only in stops; and their hits, which
 * each CPU records in its traps.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/gdb/server.h"

/* These implement point_refuse and point_change (core/gdb/target.h). */
int gdb_point_refuse(enum gdb_point kind, uint64_t address, struct refusal *why);
int gdb_point_change(bool set, enum gdb_point kind, uint64_t address, uint64_t length,
                     struct refusal *why);
void gdb_points_clear(void);

#define AFTER_A_PANIC "after a panic no code can run"

/*
 * Called after a panic, when no CPU can resume: the points no longer change. So gdb's `continue`
 * ends the machine, but not what needs a point of its own, as `finish` and `call` do.
 */
void gdb_points_freeze(void);

/* Removes breakpoint instructions for a command of the console, or reinserts them. In a stop. */
void gdb_points_lift(bool lifted);

/* Replaces breakpoint instructions in bytes read from memory by the original bytes. In a stop. */
void gdb_points_hide(uint64_t address, uint8_t *bytes, size_t length);

/* Called after memory was written: sets breakpoint instructions again. In a stop. */
void gdb_points_keep(uint64_t address, size_t length);

/* If the breakpoint instruction is gdb's, records this CPU's hit and returns true. In its trap. */
bool gdb_points_own(unsigned cpu, uint64_t address);

/* True if that CPU has hit a point that still exists. In the CPU's traps, or in a stop. */
bool gdb_points_hit(unsigned cpu);
/* Same as gdb_points_hit, but also stores the hit in *stop and clears it. */
bool gdb_points_take(unsigned cpu, struct gdb_stop *stop);
