/* SPDX-License-Identifier: BSD-2-Clause */
/* See server.h: receives packets, passes them to their handlers, and reports stops. */
#include "core/gdb/server.h"

#include <linux/errno.h>

#include "core/lib/assert.h"
#include "core/lib/string.h"

void gdb_server_init(struct gdb_server *server, const struct gdb_line *line,
                     const struct gdb_target *target)
{
    memset(server, 0, sizeof(*server));
    gdb_link_init(&server->link, line);
    server->target = target;
    server->of_resuming = GDB_NO_CPU;
    server->stop.signal = GDB_SIGNAL_TRAP;
}

static void out_byte(struct gdb_link *link, unsigned byte)
{
    uint8_t value = (uint8_t)byte;

    gdb_out_bytes(link, &value, 1);
}

void gdb_reply_ok(struct gdb_server *server)
{
    gdb_out_begin(&server->link);
    gdb_out_text(&server->link, "OK");
}

void gdb_reply_error(struct gdb_server *server, const char *text)
{
    gdb_out_begin(&server->link);
    gdb_out_text(&server->link, "E.pitot.");
    for (; *text; text++) /* a `*` would repeat the character before it */
        gdb_out_char(&server->link, strchr("#$*}", *text) ? '?' : *text);
}

void gdb_reply_number(struct gdb_server *server, unsigned error)
{
    gdb_out_begin(&server->link);
    gdb_out_char(&server->link, 'E');
    out_byte(&server->link, error);
}

bool gdb_thread_number(struct gdb_server *server, const char **at, bool any, unsigned *cpu)
{
    uint64_t number = 0;
    bool valid = text_skip(at, "-1") || hex_number(at, &number);

    if (!valid || number > server->target->cpus() ||
        (number == 0 ? !any : !server->target->cpu_is_there((unsigned)number - 1))) {
        gdb_reply_error(server, "no such thread");
        return false;
    }
    *cpu = number == 0 ? GDB_NO_CPU : (unsigned)number - 1;
    return true;
}

static void stop_add_reason(struct gdb_server *server)
{
    static const char *const watches[] = {
        [GDB_STOPPED_BY_WRITE] = "watch",
        [GDB_STOPPED_BY_READ] = "rwatch",
        [GDB_STOPPED_BY_ACCESS] = "awatch",
    };
    struct gdb_link *link = &server->link;
    enum gdb_stop_reason reason = server->stop.reason;

    if (reason >= GDB_STOPPED_BY_WRITE) {
        gdb_out_text(link, watches[reason]);
        gdb_out_char(link, ':');
        gdb_out_number(link, server->stop.address);
        gdb_out_char(link, ';');
    } else if (reason != GDB_STOPPED_BY_SIGNAL && server->tells_breaks) {
        gdb_out_text(link, reason == GDB_STOPPED_BY_SOFTWARE ? "swbreak:;" : "hwbreak:;");
    }
}

static void stop_add_registers(struct gdb_server *server)
{
    const struct gdb_target *target = server->target;
    uint8_t bytes[GDB_REGISTER_BYTES];

    for (unsigned i = 0; i < target->expedited_count; i++) {
        unsigned number = target->expedited[i];

        assert(target->register_size(number) <= sizeof(bytes));
        if (!target->register_read(server->stop.cpu, number, bytes))
            continue;
        gdb_out_number(&server->link, number);
        gdb_out_char(&server->link, ':');
        gdb_out_bytes(&server->link, bytes, target->register_size(number));
        gdb_out_char(&server->link, ';');
    }
}

static void reply_stop(struct gdb_server *server)
{
    struct gdb_link *link = &server->link;

    assert(server->stop.cpu < server->target->cpus() &&
           server->stop.reason <= GDB_STOPPED_BY_ACCESS);
    gdb_out_begin(link);
    gdb_out_char(link, 'T');
    out_byte(link, server->stop.signal);
    stop_add_reason(server);
    gdb_out_text(link, "thread:");
    gdb_out_number(link, server->stop.cpu + 1);
    gdb_out_char(link, ';');
    stop_add_registers(server);
}

void gdb_server_stopped(struct gdb_server *server, const struct gdb_stop *stop)
{
    server->stop = *stop;
    server->of_registers = stop->cpu;
    server->of_resuming = GDB_NO_CPU;
    if (!server->owes_stop)
        return;
    server->owes_stop = false;
    reply_stop(server);
    gdb_link_send(&server->link);
}

void gdb_server_ended(struct gdb_server *server, char how, unsigned code)
{
    if (!server->owes_stop)
        return;
    server->owes_stop = false;
    gdb_out_begin(&server->link);
    gdb_out_char(&server->link, how);
    out_byte(&server->link, code);
    gdb_link_send_once(&server->link);
}

/* `Hg` chooses the CPU for registers, `Hc` the CPU that `c` and `s` resume. */
static void choose_thread(struct gdb_server *server, const char *at)
{
    char what = *at++;
    unsigned cpu;

    if (what != 'g' && what != 'c') {
        gdb_reply_error(server, "no such thread");
        return;
    }
    if (!gdb_thread_number(server, &at, true, &cpu))
        return;
    if (what == 'c')
        server->of_resuming = cpu;
    if (what == 'g' && cpu != GDB_NO_CPU)
        server->of_registers = cpu;
    gdb_reply_ok(server);
}

static void tell_alive(struct gdb_server *server, const char *at)
{
    unsigned cpu;

    if (gdb_thread_number(server, &at, false, &cpu))
        gdb_reply_ok(server);
}

static gdb_packet_handler *const handlers[128] = {
    ['g'] = gdb_read_registers, ['G'] = gdb_write_registers,
    ['p'] = gdb_read_register,  ['P'] = gdb_write_register,
    ['m'] = gdb_read_memory,    ['M'] = gdb_write_memory,
    ['x'] = gdb_read_memory,    ['X'] = gdb_write_binary,
    ['Z'] = gdb_change_point,   ['z'] = gdb_change_point,
    ['H'] = choose_thread,      ['T'] = tell_alive,
    ['q'] = gdb_query,          ['Q'] = gdb_set,
};

/* True if the packet made a request (server->request); otherwise the reply is ready. */
static bool dispatch(struct gdb_server *server)
{
    const char *at = server->link.in;
    unsigned char packet = (unsigned char)*at++;

    assert(server->link.in[server->link.in_length] == '\0'); /* handlers rely on the NUL */
    gdb_out_begin(&server->link);
    switch (packet) {
    case 'c':
    case 'C':
    case 's':
    case 'S':
        return gdb_resume(server, server->link.in);
    case 'v':
        return gdb_verbose(server, at);
    case 'D':
        gdb_reply_ok(server);
        gdb_link_send(&server->link);
        server->request.kind = GDB_DETACH;
        return true;
    case 'k':
        server->request.kind = GDB_KILL;
        return true;
    case 'R':
    case 'r':
        server->request.kind = GDB_RESTART;
        return true;
    case '?':
        reply_stop(server);
        return false;
    case '!':
        gdb_reply_ok(server);
        return false;
    case 'q':
        if (gdb_query_command(server, at))
            return true;
        break;
    default:
        break;
    }
    if (packet < 128 && handlers[packet])
        handlers[packet](server, at);
    return false;
}

void gdb_server_serve(struct gdb_server *server)
{
    bool quiet;
    int error;

    for (;;) {
        error = gdb_link_receive(&server->link);
        if (error == -E2BIG) {
            gdb_reply_error(server, "the packet is longer than 4096 characters");
        } else if (!error && dispatch(server)) {
            server->owes_stop = server->request.kind == GDB_RESUME;
            return;
        }
        quiet = server->link.no_ack || (!error && strcmp(server->link.in, "QStartNoAckMode") == 0);
        if (server->link.out_cut)
            gdb_reply_error(server, "the reply is longer than 4096 characters");
        if (error == -EPIPE || gdb_link_send(&server->link)) {
            server->request.kind = GDB_GONE;
            return;
        }
        server->link.no_ack = quiet;
    }
}

void gdb_server_command_done(struct gdb_server *server, int status)
{
    assert(status <= 0 && status > -256); /* two digits */
    if (status == 0)
        gdb_reply_ok(server);
    else
        gdb_reply_number(server, (unsigned)-status);
    gdb_link_send(&server->link);
}

void gdb_server_print(struct gdb_server *server, const char *text, size_t length)
{
    while (length > 0) {
        size_t part = length < GDB_TEXT_MAX ? length : GDB_TEXT_MAX;

        gdb_link_make_text(&server->link, text, part);
        while (gdb_link_send_piece(&server->link))
            continue;
        text += part;
        length -= part;
    }
}
