/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The server's packet handlers, grouped by subject. Each gets the NUL-terminated text after the
 * packet's first letter, and leaves its reply in server->link.
 */
#pragma once

#include "core/gdb/server.h"

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
