/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * State of the one gdb that may be attached, and of its port. debugger.c attaches gdb and listens
 * while the machine runs, stops.c serves a stop, text.c sends text while the machine runs.
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

/* True if a `monitor` command runs, or its end has not been reported to gdb. Any context. */
bool gdb_command_runs(void);

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
