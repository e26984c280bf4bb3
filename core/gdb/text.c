/* SPDX-License-Identifier: BSD-2-Clause */
/* Text for gdb while the machine runs. Task context or a panic, unless a header says otherwise. */
#include "arch/cpu.h"
#include "arch/debugger.h"
#include "arch/local.h"
#include "core/gdb/monitor.h"
#include "core/gdb/session.h"
#include "core/lib/print.h"

bool gdb_is_sending(unsigned cpu)
{
    return __atomic_load_n(&gdb_session.sender, __ATOMIC_RELAXED) == cpu + 1;
}

/* This CPU is neither parked nor stopped until sending_ends, so it must not wait. */
static void sending_begins(void)
{
    __atomic_store_n(&gdb_session.sender, arch_cpu_id() + 1, __ATOMIC_RELAXED);
    local_barrier();
}

/* Repeats a request to stop this CPU that came while it was sending. */
static void sending_ends(void)
{
    unsigned cpu = arch_cpu_id();

    local_barrier();
    __atomic_store_n(&gdb_session.sender, 0, __ATOMIC_RELAXED);
    local_barrier();
    if (arch_stop_is_due(cpu))
        arch_stop_cpu(cpu);
}

static bool gdb_hears_text(void)
{
    return gdb_session.server.owes_stop || gdb_monitor_runs();
}

static bool print_piece(void)
{
    bool more;

    while (!gdb_session.server.link.line->ready())
        arch_relax();
    sending_begins();
    more = gdb_link_send_piece(&gdb_session.server.link);
    sending_ends();
    return more;
}

void gdb_text_send_rest(void)
{
    while (gdb_link_send_piece(&gdb_session.server.link))
        continue;
}

/*
 * Sends each packet whole: other CPUs wait at the console's guard, an interrupt prints before or
 * after it, and a stop of another CPU sends the rest first. The watchdog's report does not wait
 * (print_guard_seize), so on a lent port it may land inside a packet.
 */
unsigned long gdb_text_print(const char *text, unsigned long length)
{
    uint64_t flags;
    size_t sent = 0;

    print_together_begin(); /* some writes to the console's sink do not come from a print */
    flags = arch_irq_save();
    gdb_text_send_rest(); /* left over by a CPU that a panic has halted */
    do {
        size_t part = length - sent < GDB_TEXT_MAX ? length - sent : GDB_TEXT_MAX;

        sending_begins();
        gdb_link_make_text(&gdb_session.server.link, text + sent, part);
        sending_ends();
        while (print_piece())
            continue;
        sent += part;
    } while (sent < length && gdb_hears_text());
    arch_irq_restore(flags);
    print_together_end();
    return sent;
}

void gdb_text_keep_alive(void)
{
    gdb_text_print("", 0);
}

static void send_end(void)
{
    if (!gdb_session.door)
        return;
    gdb_text_send_rest();
    gdb_server_ended(&gdb_session.server, 'W', 0);
}

/* In a stop, does not take the guard: no other CPU sends, and a stopped CPU may hold the guard. */
void gdb_exited(void)
{
    uint64_t flags;

    if (__atomic_load_n(&gdb_session.stopped, __ATOMIC_RELAXED)) {
        send_end();
        return;
    }
    print_together_begin();
    flags = arch_irq_save();
    sending_begins();
    send_end();
    sending_ends();
    arch_irq_restore(flags);
    print_together_end();
}

static void lent_write(struct sink *sink, const char *bytes, size_t length)
{
    size_t sent = 0;

    (void)sink;
    if (length > 0 && gdb_hears_text())
        sent = gdb_text_print(bytes, length);
    if (sent < length && !gdb_session.door)
        gdb_session.console_before->write(gdb_session.console_before, bytes + sent, length - sent);
}

struct sink gdb_text_console = {lent_write};
