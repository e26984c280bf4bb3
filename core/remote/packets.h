/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Parts of the server, by what packets are about. Each is called with what follows the packet's
 * first letter, which ends with a NUL, and leaves its reply in server->link.
 */
#pragma once

#include "core/remote/server.h"

typedef void gdb_packet_handler(struct gdb_server *server, const char *at);

gdb_packet_handler gdb_read_registers, gdb_write_registers, gdb_read_register, gdb_write_register;
gdb_packet_handler gdb_read_memory, gdb_write_memory, gdb_read_binary, gdb_write_binary;
gdb_packet_handler gdb_set_point, gdb_clear_point;
gdb_packet_handler gdb_query, gdb_set;

/* These return whether the machine is to resume, as server->request says; else there is a reply. */
typedef bool gdb_resume_handler(struct gdb_server *server, const char *at);

gdb_resume_handler gdb_continue, gdb_continue_signal, gdb_step, gdb_step_signal, gdb_verbose;

/* True if it is one for the code that runs the kernel's commands: server->request has it. */
bool gdb_query_command(struct gdb_server *server, const char *at);

/* The reply of a refusal, in words: gdb shows what follows the second full stop. */
void gdb_reply_error(struct gdb_server *server, const char *text);
/* ... without words, where gdb understands none. */
void gdb_reply_number(struct gdb_server *server, unsigned error);
void gdb_reply_ok(struct gdb_server *server);
void gdb_reply_stop(struct gdb_server *server);

/*
 * A thread's number from *at on: the CPU, or GDB_NO_CPU for "all" and "any". False: there is no
 * such thread.
 */
bool gdb_thread_number(struct gdb_server *server, const char **at, unsigned *cpu);
