/* SPDX-License-Identifier: BSD-2-Clause */
/* Packets q and Q: features, threads, and commands for the kernel. */
#include "core/gdb/server.h"
#include "core/lib/print.h"
#include "core/lib/string.h"

/* A slice of a string that is generated for each request and does not change during a stop. */
struct slice {
    struct gdb_link *link;
    uint64_t skip, left;
    bool more;
};

static void slice_char(struct slice *slice, char character)
{
    if (slice->skip > 0) {
        slice->skip--;
    } else if (slice->left > 0 && gdb_out_binary(slice->link, (uint8_t)character)) {
        slice->left--;
    } else {
        slice->left = 0;
        slice->more = true;
    }
}

static void slice_text(struct slice *slice, const char *text)
{
    while (*text)
        slice_char(slice, *text++);
}

/* Replaces the special characters of XML by '?'. */
static void slice_plain(struct slice *slice, const char *text)
{
    for (; *text; text++)
        slice_char(slice, strchr("<>&\"'", *text) ? '?' : *text);
}

static void slice_threads(struct slice *slice, const struct gdb_target *target)
{
    char text[128];

    slice_text(slice, "<?xml version=\"1.0\"?><threads>");
    for (unsigned cpu = 0; cpu < target->cpus(); cpu++) {
        if (!target->cpu_is_there(cpu))
            continue;
        print_into(text, sizeof(text), "<thread id=\"%x\" core=\"%u\" name=\"CPU %u\">", cpu + 1,
                   cpu, cpu);
        slice_text(slice, text);
        target->cpu_describe(cpu, text, sizeof(text));
        slice_plain(slice, text);
        slice_text(slice, "</thread>");
    }
    slice_text(slice, "</threads>");
}

/* "object:annex:offset,length". The reply's first character states whether more follows. */
static void transfer(struct gdb_server *server, const char *at)
{
    struct slice slice = {.link = &server->link};
    bool threads = text_skip(&at, "threads:read::");

    if (!threads && !text_skip(&at, "features:read:target.xml:")) {
        /* only a wrong annex is an error: an empty reply says that there is no such object */
        if (text_skip(&at, "threads:read:") || text_skip(&at, "features:read:"))
            gdb_reply_error(server, "only target.xml and the threads can be read");
        return;
    }
    if (!hex_number(&at, &slice.skip) || *at++ != ',' || !hex_number(&at, &slice.left) || *at) {
        gdb_reply_error(server, "an offset and a length are needed");
        return;
    }
    gdb_out_char(&server->link, 'l');
    if (threads)
        slice_threads(&slice, server->target);
    else
        slice_text(&slice, server->target->description);
    if (slice.more)
        server->link.out[0] = 'm';
}

/* Answers the first query of a new gdb, which acknowledges packets and has set no points yet. */
static void introduce(struct gdb_server *server, const char *at)
{
    if (server->link.no_ack) {
        server->link.no_ack = false;
        server->link.line->put("+", 1);
    }
    server->link.interrupted = false;
    server->target->points_clear();
    server->refused.text[0] = '\0';
    server->tells_breaks = false;
    for (; *at; at++)
        server->tells_breaks |= strncmp(at, "swbreak+", strlen("swbreak+")) == 0;
    gdb_out_text(&server->link, "PacketSize=1000;QStartNoAckMode+;qXfer:features:read+;"
                                "qXfer:threads:read+;vContSupported+;swbreak+;hwbreak+;"
                                "binary-upload+");
}

static void list_threads(struct gdb_server *server)
{
    const struct gdb_target *target = server->target;
    char separator = 'm';

    for (unsigned cpu = 0; cpu < target->cpus(); cpu++) {
        if (!target->cpu_is_there(cpu))
            continue;
        gdb_out_char(&server->link, separator);
        gdb_out_number(&server->link, cpu + 1);
        separator = ',';
    }
}

static void describe_thread(struct gdb_server *server, const char *at)
{
    char text[128];
    unsigned cpu;

    if (!gdb_thread_number(server, &at, false, &cpu))
        return;
    server->target->cpu_describe(cpu, text, sizeof(text));
    gdb_out_bytes(&server->link, (const uint8_t *)text, strlen(text));
}

/* For tools/gdb: reports once why a point was refused; gdb shows that for few kinds of points. */
static void tell_refused(struct gdb_server *server)
{
    const char *text = server->refused.text;

    if (!server->told_refused)
        gdb_out_bytes(&server->link, (const uint8_t *)text, strlen(text));
    server->told_refused = true;
}

/* For tools/gdb: gdb sets a point only when it resumes. "kind,address", as in Z packets. */
static void tell_refusal(struct gdb_server *server, const char *at)
{
    uint64_t kind, address;
    struct refusal why;

    if (!hex_number(&at, &kind) || *at++ != ',' || !hex_number(&at, &address) || *at ||
        kind >= GDB_POINT_KINDS)
        gdb_reply_error(server, "a kind and an address are needed");
    else if (server->target->point_refuse((enum gdb_point)kind, address, &why))
        gdb_out_bytes(&server->link, (const uint8_t *)why.text, strlen(why.text));
}

/*
 * By this packet of QEMU's, front ends such as pwndbg tell a machine from a process of Linux, whose
 * auxv they would look for byte by byte. The reply has the bits' names and values. The mask itself,
 * qemu.sstep, has no reply: each step keeps interrupts off, and nothing can change that.
 */
static void tell_step_bits(struct gdb_server *server, const char *at)
{
    if (strcmp(at, "qemu.sstepbits") == 0)
        gdb_out_text(&server->link, "ENABLE=1,NOIRQ=2,NOTIMER=4");
}

void gdb_query(struct gdb_server *server, const char *at)
{
    struct gdb_link *link = &server->link;

    if (text_skip(&at, "Supported")) {
        introduce(server, at);
    } else if (text_skip(&at, "Xfer:")) {
        transfer(server, at);
    } else if (strcmp(at, "C") == 0) {
        gdb_out_text(link, "QC");
        gdb_out_number(link, server->of_registers + 1);
    } else if (strcmp(at, "fThreadInfo") == 0) {
        list_threads(server);
    } else if (strcmp(at, "sThreadInfo") == 0) {
        gdb_out_char(link, 'l');
    } else if (text_skip(&at, "ThreadExtraInfo,")) {
        describe_thread(server, at);
    } else if (strcmp(at, "Attached") == 0) {
        gdb_out_char(link, '1');
    } else if (strcmp(at, "Pitot.Refused") == 0) {
        tell_refused(server);
    } else if (text_skip(&at, "Pitot.Refuses,")) {
        tell_refusal(server, at);
    } else {
        tell_step_bits(server, at);
    }
}

void gdb_set(struct gdb_server *server, const char *at)
{
    if (strcmp(at, "StartNoAckMode") == 0)
        gdb_reply_ok(server);
    else
        tell_step_bits(server, at);
}

bool gdb_query_command(struct gdb_server *server, const char *at)
{
    uint8_t *command = (uint8_t *)server->request.command;
    size_t digits;

    if (!text_skip(&at, "Rcmd,"))
        return false;
    digits = strlen(at);
    if (digits % 2 || digits / 2 > GDB_COMMAND_MAX || !hex_bytes(&at, command, digits / 2))
        return false;
    command[digits / 2] = '\0';
    server->request.kind = GDB_COMMAND;
    return true;
}
