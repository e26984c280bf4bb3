/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the files of core/gdb/ share: the one gdb that may be attached, and the port that it has.
 * debugger.c attaches it and listens while the machine runs, stops.c serves a stop, text.c sends
 * text while the machine runs.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/debugger.h"
#include "core/gdb/debugger.h"
#include "core/lib/print.h"
#include "core/remote/server.h"

extern struct gdb_session {
    const struct gdb_door *own_door, *lent_door; /* set at boot, */
    const struct gdb_monitor *monitor;           /* ... as is this; NULL: there is none */
    const struct gdb_door *door; /* gdb's; NULL: not attached. Set with all parked, or in a stop */
    struct gdb_server server;    /* in stops; what prints has its own way (text.c) */
    struct sink *console_before; /* before gdb was lent the console's port; set as `door` is */
    bool stopped;                /* [A] in a stop: the port is polled */
    unsigned listening;          /* [A] the boot CPU polls the port while the machine runs */
    const char *blind;           /* why ^C does not break in; NULL: it does. Set as `door` is */
    bool arriving;               /* gdb's first stop is on its way; cleared in it */
    unsigned steps;              /* since the other CPUs were let go; in stops */
    uint32_t sender;             /* [A] 1 + the CPU that makes or sends a piece of text; 0: none */
} gdb_session;

/* A command of `monitor` runs, or has ended and not been told of. Any context. */
bool gdb_command_runs(void);

/* Sends the rest of a packet that a CPU was sending which now stands still. In a stop. */
void gdb_text_send_rest(void);

/* Text for gdb's console. Returns how much has been sent: gdb may go. Task context, or a panic. */
size_t gdb_text_print(const char *text, size_t length);

/* A gdb that hears nothing for two seconds complains, though it waits on. Task context. */
void gdb_text_keep_alive(void);

/* The console while gdb has its port: its text goes to a gdb that waits for a stop. */
extern struct sink gdb_text_console;

/* A CPU has stopped: serves gdb until it lets the machine resume, as `resume` then says. */
void gdb_stop_serve(unsigned cpu, enum arch_stop why, unsigned absent, struct arch_resume *resume);
