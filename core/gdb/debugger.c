/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * See debugger.h. The functions called while the machine runs, in NMIs and traps, may neither trap
 * nor wait for a lock. The others: task context, unless the header says otherwise.
 */
#include "core/gdb/debugger.h"

#include "arch/cpu.h"
#include "arch/debugger.h"
#include "arch/regs.h"
#include "core/breakpoint/breakpoint.h"
#include "core/gdb/monitor.h"
#include "core/gdb/session.h"
#include "core/lib/assert.h"
#include "core/lib/cpus.h"
#include "core/lib/print.h"

#define QUIET_NS 100000000ull /* longer than an emulated line pauses inside a packet */

struct gdb_session gdb_session;

/* --- While the machine runs. --- */

/* Points stop no CPU while a command runs. */
static bool debugger_wants(unsigned cpu)
{
    return gdb_points_hit(cpu) && !gdb_monitor_runs();
}

/*
 * True if a reason for a stop remains: a ^C, a new gdb's packet, or this CPU's hit. An earlier stop
 * may have handled it.
 */
static bool debugger_asks(unsigned cpu)
{
    const struct gdb_link *link = &gdb_session.server.link;

    return !gdb_monitor_runs() && (__atomic_load_n(&link->interrupted, __ATOMIC_RELAXED) ||
                                   link->begun || gdb_points_hit(cpu));
}

static bool debugger_may_stop(unsigned cpu)
{
    return !gdb_is_sending(cpu);
}

/* True for a request to stop, or the start of a new gdb's packet; every other byte is noise. */
static bool begins(uint8_t byte)
{
    struct gdb_link *link = &gdb_session.server.link;

    if (byte != '$' && byte != GDB_BREAK)
        return false;
    if (gdb_monitor_runs())
        return true;
    __atomic_store_n(&link->interrupted, byte == GDB_BREAK, __ATOMIC_RELAXED);
    if (byte == '$') {
        link->begun = true;
        link->no_ack = false;
        gdb_session.server.owes_stop = false;
    }
    return true;
}

static enum arch_heard listen_at(const struct gdb_door *at)
{
    enum arch_heard said = ARCH_HEARD_NOTHING;
    int byte;

    if (gdb_session.arriving) /* the next bytes belong to the packet */
        return ARCH_HEARD_NOISE;
    if (gdb_session.server.link.begun)
        return ARCH_HEARD_STOP;
    while (said != ARCH_HEARD_STOP && (byte = at->poll()) >= 0)
        said = begins((uint8_t)byte) ? ARCH_HEARD_STOP : ARCH_HEARD_NOISE;
    return gdb_monitor_runs() && said == ARCH_HEARD_STOP ? ARCH_HEARD_NOISE : said;
}

/*
 * Does not read the port during a stop: the boot CPU may take an NMI for another reason, or may
 * be parked while the stopped CPU runs alone. L pairs with take_the_port: at least one side sees
 * the other's store. `door` is read after `stopped`: if gdb leaves in a stop, the door is cleared
 * before the stop ends.
 */
static enum arch_heard debugger_listens(void)
{
    enum arch_heard said = ARCH_HEARD_NOTHING;
    const struct gdb_door *at;

    __atomic_fetch_add(&gdb_session.listening, 1, __ATOMIC_SEQ_CST);
    if (!__atomic_load_n(&gdb_session.stopped, __ATOMIC_SEQ_CST)) {
        at = __atomic_load_n(&gdb_session.door, __ATOMIC_SEQ_CST);
        said = at ? listen_at(at) : ARCH_HEARD_NOTHING;
    }
    __atomic_fetch_sub(&gdb_session.listening, 1, __ATOMIC_SEQ_CST);
    return said;
}

void gdb_tick(void)
{
    if (!gdb_session.door)
        return;
    for (unsigned cpu = 0; cpu < arch_cpus(); cpu++)
        if (arch_cpu_runs(cpu) && arch_stop_is_due(cpu))
            arch_stop_cpu(cpu);
    gdb_monitor_tick();
}

void gdb_panicked(struct regs *dead)
{
    if (gdb_session.door)
        arch_stop_dead(dead);
}

/* Returns 0, -EBUSY if gdb is attached already, or the error of parking the CPUs. */
static int attach(const struct gdb_door *with, struct refusal *why)
{
    static const struct arch_debugger debugger = {.wants = debugger_wants,
                                                  .asks = debugger_asks,
                                                  .owns = gdb_points_own,
                                                  .may_stop = debugger_may_stop,
                                                  .stopped = gdb_stop_serve,
                                                  .listens = debugger_listens};
    int error = cpus_park(why);

    if (error)
        return error;
    if (gdb_session.door) {
        cpus_release();
        return refuse(why, EBUSY, "gdb is already attached at %s", gdb_session.door->name);
    }
    assert(with && with->poll && with->listen && with->open && with->close);
    gdb_session.door = with;
    gdb_server_init(&gdb_session.server, &gdb_session.door->line, &gdb_machine);
    arch_debugger_attach(&debugger);
    if (gdb_session.door->lends_console) {
        gdb_session.console_before = print_console();
        print_set_console(&gdb_text_console);
    }
    gdb_session.blind = gdb_session.door->open();
    cpus_release();
    return 0;
}

bool gdb_arrived(uint8_t byte, struct regs *regs)
{
    struct refusal why;

    if (byte != '$' || gdb_session.door)
        return false;
    gdb_session.arriving = true;
    if (attach(gdb_session.own_door, &why)) {
        gdb_session.arriving = false;
        print("gdb: %s\n", why.text);
        return false;
    }
    begins(byte);
    arch_stop_interrupted(regs);
    return true;
}

/* --- Waiting for a gdb. --- */

/*
 * A gdb that connected too early has sent its first request, perhaps repeatedly, and would mistake
 * a second reply for that to its next request. So the old bytes are dropped; gdb asks again.
 */
static void forget_what_came(void)
{
    uint64_t since = arch_clock_ns();

    while (arch_clock_ns() - since < QUIET_NS)
        if (gdb_session.door->poll() >= 0)
            since = arch_clock_ns();
}

int gdb_wait_at(const struct gdb_door *with, struct refusal *why)
{
    struct sink *console;
    int error;

    gdb_monitor_start();
    gdb_session.arriving = true; /* until the stop below */
    error = attach(with, why);
    if (error) {
        gdb_session.arriving = false;
        return error;
    }
    forget_what_came();
    /* from here on every byte is answered, so a gdb that connects now loses no request */
    console = with->lends_console ? gdb_session.console_before : print_console();
    print_together_begin();
    print_to(console, "gdb: waiting at %s: (gdb) target remote ...; `detach` resumes the machine\n",
             with->name);
    print_together_end();
    arch_stop_here();
    return 0;
}

const struct gdb_door *gdb_door_of(bool console)
{
    return !console && gdb_session.own_door ? gdb_session.own_door : gdb_session.lent_door;
}

void gdb_init(const struct gdb_door *own, const struct gdb_door *lent)
{
    gdb_session.own_door = own;
    gdb_session.lent_door = lent;
    if (own)
        gdb_monitor_start();
}

bool gdb_tell(struct sink *to)
{
    if (!gdb_session.door)
        return false;
    print_to(to,
             "gdb: attached at %s; packets damaged %llu, too long %llu, sent again %llu; "
             "noise %llu\n",
             gdb_session.door->name, (unsigned long long)gdb_session.server.link.counts.bad_sums,
             (unsigned long long)gdb_session.server.link.counts.too_long,
             (unsigned long long)gdb_session.server.link.counts.resent,
             (unsigned long long)gdb_session.server.link.counts.noise);
    print_to(to, "gdb: %s%s\n",
             !gdb_session.server.refused.text[0] ? "nothing was refused"
             : gdb_session.server.only_noted     ? "noted last: "
                                                 : "refused last: ",
             gdb_session.server.refused.text);
    if (gdb_session.blind)
        print_to(to, "gdb: ^C cannot interrupt the machine: %s\n", gdb_session.blind);
    breakpoint_print(to);
    return true;
}
