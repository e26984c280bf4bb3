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
#include "core/lib/refusal.h"
#include "core/pitot.h"

/* Numbered as in Z packets. */
enum gdb_point {
    GDB_POINT_SOFTWARE,
    GDB_POINT_HARDWARE,
    GDB_POINT_WRITE,
    GDB_POINT_READ,
    GDB_POINT_ACCESS,
    GDB_POINT_KINDS,
};

#define GDB_REGISTER_BYTES 16 /* the largest */

/*
 * The machine as the protocol sees it: CPUs, which are gdb's threads, registers, memory and points.
 * Called while all CPUs are stopped. Registers are numbered in the order of the description.
 */
struct gdb_target {
    unsigned (*cpus)(void);             /* numbered from 0; there may be gaps */
    bool (*cpu_is_there)(unsigned cpu); /* true if the CPU is in use, stopped or not */
    /* Describes the CPU in a few words, for the user. */
    void (*cpu_describe)(unsigned cpu, char *text, size_t size);

    const char *description; /* target.xml */
    unsigned (*registers)(void);
    size_t (*register_size)(unsigned number);
    const unsigned *expedited; /* registers in every report of a stop */
    unsigned expedited_count;
    /* Returns false if the value is unknown. */
    bool (*register_read)(unsigned cpu, unsigned number, uint8_t *bytes);
    int (*register_write)(unsigned cpu, unsigned number, const uint8_t *bytes, struct refusal *why);

    /* Returns the number of bytes read from `address` on. */
    size_t (*memory_read)(uint64_t address, uint8_t *to, size_t length);
    /* Writes all bytes or none. */
    int (*memory_write)(uint64_t address, const uint8_t *from, size_t length, struct refusal *why);

    /* Refuses what will never stop there, and what is refused for the address alone. */
    int (*point_refuse)(enum gdb_point kind, uint64_t address, struct refusal *why);
    /*
     * Setting a point twice, or clearing one that is not set, is not an error. On success *why,
     * which was "", may say what the user should know of the point.
     */
    int (*point_change)(bool set, enum gdb_point kind, uint64_t address, uint64_t length,
                        struct refusal *why);
    void (*points_clear)(void);
};

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

/*
 * --- The packets' handlers, grouped by subject in state.c, resume.c and query.c. Each gets the
 * NUL-terminated text after the packet's first letter, and leaves its reply in server->link. ---
 */

typedef void gdb_packet_handler(struct gdb_server *server, const char *at);

gdb_packet_handler gdb_read_registers, gdb_write_registers, gdb_read_register, gdb_write_register;
gdb_packet_handler gdb_read_memory, gdb_write_memory, gdb_write_binary, gdb_change_point;
gdb_packet_handler gdb_query, gdb_set;

/*
 * These return true if server->request now has a request that gdb_server_serve returns to its
 * caller. gdb_resume gets the whole packet.
 */
bool gdb_resume(struct gdb_server *server, const char *packet);
bool gdb_verbose(struct gdb_server *server, const char *at);
bool gdb_query_command(struct gdb_server *server, const char *at);

/* Replies with an error message: gdb shows the text after the second period. */
void gdb_reply_error(struct gdb_server *server, const char *text);
/* Replies with an error number, where gdb does not accept a message. */
void gdb_reply_number(struct gdb_server *server, unsigned error);
void gdb_reply_ok(struct gdb_server *server);

/*
 * Reads a thread number and stores its CPU. If `any`, 0 and -1 are also allowed, and are stored as
 * GDB_NO_CPU. Returns false if the number is invalid; the reply is then an error.
 */
bool gdb_thread_number(struct gdb_server *server, const char **at, bool any, unsigned *cpu);
