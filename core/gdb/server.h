/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * gdb's remote protocol, from a stop to the request that ends it (docs/gdb.md). Source: the manual
 * of gdb, "Remote Serial Protocol". One CPU at a time, in a stop; no lock, no allocation.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/gdb/link.h"
#include "core/gdb/target.h"
#include "core/pitot.h"

/* gdb's signal numbers (its include/gdb/signals.def). */
#define GDB_SIGNAL_INTERRUPT 2
#define GDB_SIGNAL_TRAP      5
#define GDB_SIGNAL_ABORTED   6

/* The reasons after GDB_STOPPED_BY_SIGNAL are in the order of enum gdb_point. */
enum gdb_stop_reason {
    GDB_STOPPED_BY_SIGNAL,
    GDB_STOPPED_BY_SOFTWARE,
    GDB_STOPPED_BY_HARDWARE,
    GDB_STOPPED_BY_WRITE,
    GDB_STOPPED_BY_READ,
    GDB_STOPPED_BY_ACCESS,
};

struct gdb_stop {
    unsigned cpu;
    unsigned signal;
    enum gdb_stop_reason reason;
    uint64_t address; /* of the access; set for the last three reasons */
};

enum gdb_request_kind {
    GDB_RESUME,
    GDB_COMMAND, /* `monitor`: gdb_server_command_done answers it */
    GDB_DETACH,
    GDB_KILL,
    GDB_RESTART,
    GDB_GONE, /* the line has ended */
};

#define GDB_COMMAND_MAX (PITOT_MONITOR_SIZE - 1)
#define GDB_NO_CPU      (~0u)

struct gdb_request {
    enum gdb_request_kind kind;

    /* GDB_RESUME */
    bool all;      /* all CPUs run; otherwise only `only` runs */
    unsigned only; /* the CPU that is stepped, or runs alone; or GDB_NO_CPU */
    bool step;     /* `only` steps until it is outside [start, end), at least once */
    uint64_t start, end;

    /* GDB_COMMAND */
    char command[GDB_COMMAND_MAX + 1];
};

_Static_assert(2 * PITOT_MONITOR_SIZE <= GDB_PACKET_MAX, "a packet has room, in hexadecimal");

struct gdb_server {
    struct gdb_link link;
    const struct gdb_target *target;
    struct gdb_stop stop;  /* the latest stop */
    unsigned of_registers; /* the CPU chosen by `Hg` */
    unsigned of_resuming;  /* the CPU chosen by `Hc`; GDB_NO_CPU: all */
    bool tells_breaks;     /* gdb understands swbreak and hwbreak */
    bool owes_stop;        /* gdb is waiting for a stop report */
    struct gdb_request request;
    struct refusal refused; /* the last refusal of a point, or note of one that was set, or "" */
    bool only_noted;        /* `refused` is a note */
    bool told_refused;      /* gdb has fetched `refused` */
};

void gdb_server_init(struct gdb_server *server, const struct gdb_line *line,
                     const struct gdb_target *target);

/* Called when the machine has stopped: reports the stop, if gdb is waiting for one. */
void gdb_server_stopped(struct gdb_server *server, const struct gdb_stop *stop);

/* Serves gdb until it requests an action of the caller: see server->request. */
void gdb_server_serve(struct gdb_server *server);

/* Answers GDB_COMMAND; `status` is a negative errno if the command could not run. */
void gdb_server_command_done(struct gdb_server *server, int status);

/* Prints text on gdb's terminal, while gdb waits for a stop or a command. In a stop. */
void gdb_server_print(struct gdb_server *server, const char *text, size_t length);

/*
 * Reports the machine's end, if gdb waits for a stop. `how` is 'W' for an exit with status `code`,
 * or 'X' for a death by signal `code`.
 */
void gdb_server_ended(struct gdb_server *server, char how, unsigned code);
