/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the files of core/gdb/ share: the one gdb that may be attached, and its port. debugger.c
 * attaches gdb and listens while the machine runs, stops.c serves a stop, text.c sends text while
 * the machine runs.
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
    const struct gdb_door *own_door, *lent_door; /* set at boot, */
    const struct gdb_monitor *monitor;           /* ... as is this; NULL: no commands */
    const struct gdb_door *door; /* the port of the attached gdb; NULL: none is attached. Set with
                                  * all parked, or in a stop */
    struct gdb_server server;    /* used in stops; printing has its own way (text.c), and listening
                                  * notes here what has come */
    struct sink *console_before; /* print's sink before the console's port was lent to gdb; set as
                                  * `door` is */
    bool stopped;                /* [A] in a stop: the port is polled */
    unsigned listening;          /* [A] the boot CPU polls the port while the machine runs */
    const char *blind;           /* why ^C cannot interrupt all code; NULL: it can. Set as `door`
                                  * is */
    bool arriving;               /* the first stop of this gdb is still to come; cleared in it */
    unsigned steps;              /* since the other CPUs last ran; used in stops */
    uint32_t sender;             /* [A] 1 + the number of the CPU that makes or sends a piece of
                                  * text; 0: none */
} gdb_session;

/* A `monitor` command is running, or has ended and gdb has not been told. Any context. */
bool gdb_command_runs(void);

/* Sends the rest of a packet, if a CPU was stopped while it sent one. In a stop. */
void gdb_text_send_rest(void);

/*
 * Sends text to gdb's console. Returns how much has been sent, as gdb may leave. Task context, or a
 * panic.
 */
size_t gdb_text_print(const char *text, size_t length);

/*
 * Sends an empty text: a gdb that receives nothing for two seconds complains, although it continues
 * to wait. Task context.
 */
void gdb_text_keep_alive(void);

/* The console's sink while gdb has its port: the text goes to a gdb that waits for a stop. */
extern struct sink gdb_text_console;

/* A CPU has stopped: serves gdb until gdb lets the machine resume; `resume` then tells how. */
void gdb_stop_serve(unsigned cpu, enum arch_stop why, unsigned absent, struct arch_resume *resume);
