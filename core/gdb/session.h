/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * State of the one gdb that may be attached, and of its port. debugger.c attaches gdb and listens
 * while the machine runs, stops.c serves a stop, text.c sends text while the machine runs, points.c
 * has gdb's breakpoints and watchpoints, machine.c gives the protocol the rest of this kernel.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/debugger.h"
#include "core/gdb/debugger.h"
#include "core/gdb/server.h"
#include "core/lib/print.h"

extern struct gdb_session {
    const struct gdb_door *own_door, *lent_door; /* set at boot */
    /* These three are set with all CPUs parked, or in a stop. */
    const struct gdb_door *door; /* the port of the attached gdb; NULL: none is attached */
    struct sink *console_before; /* print's sink before the port was lent to gdb */
    const char *blind;           /* why ^C cannot interrupt all code, or NULL */
    /* Used in stops. While the machine runs, text.c and debugger.c use its link. */
    struct gdb_server server;
    bool stopped;       /* [A] in a stop: the port is polled */
    unsigned listening; /* [A] the boot CPU polls the port while the machine runs */
    bool arriving;      /* a new gdb waits for its first stop, which clears this */
    unsigned steps;     /* single steps counted by resume_as_asked; used in stops */
    uint32_t sender;    /* [A] 1 + the CPU that builds or sends a piece of text; 0: none */
} gdb_session;

extern const struct gdb_target gdb_machine;

/* Sends the rest of a text packet that a stop has interrupted. In a stop. */
void gdb_text_send_rest(void);

/* Sends text to gdb. Returns the length sent: gdb may leave meanwhile. Task context, or a panic. */
unsigned long gdb_text_print(const char *text, unsigned long length);

/* Sends an empty text: gdb complains if it gets nothing for two seconds. Task context. */
void gdb_text_keep_alive(void);

/* The console's sink while gdb uses its port: sends the text to a gdb that waits for a stop. */
extern struct sink gdb_text_console;

/*
 * Called on a CPU that has stopped: serves gdb until it resumes the machine, and stores how in
 * *resume. `absent` is the CPU that did not stop, or ARCH_NO_CPU.
 */
void gdb_stop_serve(unsigned cpu, enum arch_stop why, unsigned absent, struct arch_resume *resume);

/* --- Points, changed only in stops; and their hits, which each CPU records in its traps. --- */

/* These implement point_refuse and point_change of struct gdb_target. */
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
