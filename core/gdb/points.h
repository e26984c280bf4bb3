/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The points that gdb has set: breakpoint instructions, and breakpoints of the arbiter; and which
 * CPU has hit which. Set and cleared in a stop; the hits are noted in traps of the CPU that they
 * are of.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/remote/server.h"

int gdb_point_set(enum gdb_point kind, uint64_t address, uint64_t length, struct refusal *why);
int gdb_point_clear(enum gdb_point kind, uint64_t address, uint64_t length, struct refusal *why);
void gdb_points_clear(void);

/* After a panic, when nothing runs any more: points stay as they are. */
void gdb_points_freeze(void);

/* Breakpoint instructions leave the text, or come back: for the console's commands. In a stop. */
void gdb_points_lift(bool lifted);

/* What was read of memory, as it is without breakpoint instructions. In a stop. */
void gdb_points_hide(uint64_t address, uint8_t *bytes, size_t length);

/* What has been written there stands under breakpoint instructions, which stay. In a stop. */
void gdb_points_keep(uint64_t address, size_t length);

/* A breakpoint instruction there is gdb's; it is noted as this CPU's hit. In its trap. */
bool gdb_points_own(unsigned cpu, uint64_t address);

/*
 * Whether that CPU has hit a point that there still is. gdb_points_take also describes it, and
 * forgets it. In its traps, or a stop.
 */
bool gdb_points_hit(unsigned cpu);
bool gdb_points_take(unsigned cpu, struct gdb_stop *stop);
