/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * See debugger.h. What is here runs in stops and NMIs, where nothing may trap or wait for a lock,
 * but for what is said there to be task context.
 */
#include "core/gdb/debugger.h"

#include "arch/cpu.h"
#include "arch/debugger.h"
#include "arch/local.h"
#include "arch/park.h"
#include "arch/regs.h"
#include "core/breakpoint/breakpoint.h"
#include "core/gdb/machine.h"
#include "core/gdb/points.h"
#include "core/host.h"
#include "core/lib/assert.h"
#include "core/lib/cpus.h"
#include "core/lib/print.h"
#include "core/lib/string.h"

/* So many steps, and the other CPUs are let go for one. */
#define STEPS_ALONE 64

#define QUIET_NS 100000000ull /* emulated lines have no pauses inside of a packet */

static const struct gdb_door *own_door, *lent_door; /* set at boot, */
static const struct gdb_monitor *monitor;           /* ... as is this; NULL: there is none */
static const struct gdb_door *door;                 /* the one that gdb has; NULL: not attached */
static struct gdb_server server;                    /* in stops; what prints has its own way */
static struct sink *console_before;                 /* before gdb was lent the console's port */
static bool stopped;                                /* [A] in a stop: the port is polled */
static unsigned listening;                          /* [A] the boot CPU polls it meanwhile */
static const char *blind;                           /* why ^C does not break in; or NULL */
static bool arriving;                               /* its first stop is on its way */
static unsigned steps;                              /* since the others were let go */
static uint32_t sender; /* [A] the CPU that makes a packet of text, or sends a piece, + 1; 0 */

/* --- What gdb is told meanwhile. --- */

bool gdb_is_sending(unsigned cpu)
{
    return __atomic_load_n(&sender, __ATOMIC_RELAXED) == cpu + 1;
}

/* Between the two this CPU is neither parked nor stopped, so there is nothing to wait for. */
static void sending_begins(void)
{
    __atomic_store_n(&sender, arch_cpu_id() + 1, __ATOMIC_RELAXED);
    local_barrier();
}

/* A stop of this CPU that was wanted meanwhile is asked for again. */
static void sending_ends(void)
{
    unsigned cpu = arch_cpu_id();

    local_barrier();
    __atomic_store_n(&sender, 0, __ATOMIC_RELAXED);
    local_barrier();
    if (arch_stop_is_due(cpu))
        arch_stop_cpu(cpu);
}

static bool command_is_under_way(void)
{
    return monitor && monitor->is_under_way();
}

static bool gdb_hears_text(void)
{
    return server.owes_stop || command_is_under_way();
}

static bool print_piece(void)
{
    bool more;

    while (!server.link.line->ready())
        arch_relax();
    sending_begins();
    more = gdb_link_send_piece(&server.link);
    sending_ends();
    return more;
}

/* Sends the rest of a packet that a CPU was sending, which stands still. */
static void send_the_rest(void)
{
    while (gdb_link_send_piece(&server.link))
        continue;
}

/*
 * A packet is whole: what prints in an interrupt comes before it or after it, and a stop of
 * another CPU sends the rest first. Returns what has been sent: gdb may go.
 */
static size_t print_to_gdb(const char *text, size_t length)
{
    uint64_t flags = arch_irq_save();
    size_t sent = 0;

    send_the_rest(); /* of a CPU that a panic has halted */
    do {
        size_t part = length - sent < GDB_TEXT_MAX ? length - sent : GDB_TEXT_MAX;

        sending_begins();
        gdb_link_make_text(&server.link, text + sent, part);
        sending_ends();
        while (print_piece())
            continue;
        sent += part;
    } while (sent < length && gdb_hears_text());
    arch_irq_restore(flags);
    return sent;
}

/* A gdb that hears nothing for two seconds complains, though it waits on. */
static void say_nothing_new(void)
{
    print_together_begin();
    print_to_gdb("", 0);
    print_together_end();
}

/* Where the console has lent its port, while gdb waits for a stop. */
static void lent_write(struct sink *sink, const char *bytes, size_t length)
{
    size_t sent = 0;

    (void)sink;
    if (length > 0 && gdb_hears_text())
        sent = print_to_gdb(bytes, length);
    if (sent < length && !door)
        console_before->write(console_before, bytes + sent, length - sent);
}

static struct sink lent_sink = {lent_write};

void gdb_exited(void)
{
    if (!door)
        return;
    send_the_rest();
    gdb_server_exited(&server, 0);
}

/* --- Stops. --- */

static void detach(void)
{
    assert(door);
    gdb_points_clear();
    arch_debugger_attach(NULL);
    door->listen(false);
    door->close();
    if (door->lends_console)
        print_set_console(console_before);
    door = NULL;
}

/* The others may be let go for it although gdb has them stand still for none. */
static void resume_as_asked(const struct gdb_request *request, struct arch_resume *resume)
{
    *resume =
        (struct arch_resume){.all = request->all, .only = request->only, .step = request->step};
    if (!request->step)
        steps = 0;
    else if (request->all && ++steps % STEPS_ALONE != 0)
        resume->all = false;
}

/* A step that is to continue until it leaves a range of addresses, or gdb says stop. */
static bool range_goes_on(unsigned cpu, struct gdb_stop *stop)
{
    const struct gdb_request *request = &server.request;
    uint64_t ip = arch_stopped_regs(cpu)->ip;

    if (!server.owes_stop || !request->step || request->only != cpu ||
        stop->reason != GDB_STOPPED_BY_SIGNAL || ip < request->start || ip >= request->end)
        return false;
    if (door->poll() != GDB_BREAK)
        return true;
    stop->signal = GDB_SIGNAL_INTERRUPT;
    return false;
}

static struct gdb_stop describe(unsigned cpu, enum arch_stop why)
{
    struct gdb_stop stop = {.cpu = cpu, .signal = GDB_SIGNAL_TRAP};

    if (why == ARCH_STOP_STEPPED && server.request.step)
        stop.cpu = server.request.only; /* it may be another one's, that was not to run for it */
    if (!gdb_points_take(cpu, &stop) && why == ARCH_STOP_BREAK)
        stop.signal = GDB_SIGNAL_INTERRUPT;
    if (why == ARCH_STOP_DEAD)
        stop.signal = GDB_SIGNAL_ABORTED;
    return stop;
}

/* What is wrong on the line, and what gdb itself does not say: why it could not set a point. */
bool gdb_tell(struct sink *to)
{
    if (!door)
        return false;
    print_to(to,
             "gdb: attached at %s; packets damaged %llu, too long %llu, sent again %llu; "
             "noise %llu\n",
             door->name, (unsigned long long)server.link.counts.bad_sums,
             (unsigned long long)server.link.counts.too_long,
             (unsigned long long)server.link.counts.resent,
             (unsigned long long)server.link.counts.noise);
    print_to(to, "gdb: %s%s\n", server.refused.text[0] ? "refused last: " : "nothing was refused",
             server.refused.text);
    if (blind)
        print_to(to, "gdb: ^C does not break in: %s\n", blind);
    breakpoint_print(to);
    return true;
}

static void server_write(struct sink *sink, const char *bytes, size_t length)
{
    (void)sink;
    gdb_server_print(&server, bytes, length);
}

/* True if all CPUs resume for it. */
static bool begin_command(unsigned cpu, enum arch_stop why)
{
    static struct sink to_gdb = {server_write};
    const char *problem;

    if (strcmp(server.request.command, "gdb") == 0) { /* no command could be run for it, perhaps */
        gdb_tell(&to_gdb);
        gdb_server_command_done(&server, 0);
        return false;
    }
    if (why == ARCH_STOP_DEAD)
        problem = "after a panic nothing runs any more";
    else if (!monitor)
        problem = "this kernel runs no commands for gdb";
    else
        problem = monitor->begin(cpu, server.request.command);
    if (!problem) {
        gdb_points_lift(true);
        return true;
    }
    gdb_server_print(&server, problem, strlen(problem));
    gdb_server_print(&server, "\n", 1);
    gdb_server_command_done(&server, -EBUSY);
    return false;
}

static void end_command(int status)
{
    gdb_points_lift(false);
    (void)status; /* it has said what was wrong */
    gdb_server_command_done(&server, 0);
}

/* In the stop of `cpu`: whether that one can be stepped, or resume alone. Reports why it cannot. */
static bool can_go_on(unsigned cpu, unsigned only)
{
    char text[100];
    size_t length;

    if (only == GDB_NO_CPU || only == cpu)
        return true;
    if (!arch_stopped_regs(only))
        length = print_into(text, sizeof(text), "CPU %u does not answer: it runs\n", only);
    else if (arch_park_is_changing())
        length =
            print_into(text, sizeof(text),
                       "CPU %u has parked the others, for a change: it has to go on first\n", cpu);
    else
        return true;
    gdb_server_print(&server, text, length);
    return false;
}

static void power(enum host_power state)
{
    if (host.power)
        host.power(state);
}

/* True if what gdb wants ends the stop. */
static bool serve(unsigned cpu, enum arch_stop why, struct arch_resume *resume)
{
    gdb_server_serve(&server);
    switch (server.request.kind) {
    case GDB_RESUME:
        if (why == ARCH_STOP_DEAD) {
            gdb_server_died(&server, GDB_SIGNAL_ABORTED);
            return true;
        }
        if (!can_go_on(cpu, server.request.only)) {
            gdb_server_stopped(&server, &(struct gdb_stop){.cpu = cpu, .signal = GDB_SIGNAL_TRAP});
            return false;
        }
        resume_as_asked(&server.request, resume);
        return true;
    case GDB_COMMAND:
        return begin_command(cpu, why);
    case GDB_DETACH:
        detach();
        return true;
    case GDB_KILL:
        power(HOST_POWER_OFF);
        return true;
    case GDB_RESTART:
        power(HOST_POWER_RESET);
        return true;
    case GDB_GONE:
        break;
    }
    return false;
}

static void say_absent(unsigned absent)
{
    char text[80];
    size_t length;

    if (absent == ARCH_NO_CPU || !server.owes_stop)
        return;
    length = print_into(text, sizeof(text), "CPU %u does not answer: it goes on\n", absent);
    gdb_server_print(&server, text, length);
}

/*
 * From here on this CPU alone takes bytes. A parked boot CPU may be about to take one: L, with
 * debugger_listens.
 */
static void take_the_port(unsigned absent)
{
    door->listen(false);
    __atomic_store_n(&stopped, true, __ATOMIC_SEQ_CST);
    while (absent != 0 && __atomic_load_n(&listening, __ATOMIC_SEQ_CST) > 0)
        arch_relax();
}

static void debugger_stopped(unsigned cpu, enum arch_stop why, unsigned absent,
                             struct arch_resume *resume)
{
    struct gdb_stop stop;
    int status;

    assert(door);
    assert(why == ARCH_STOP_DEAD || !__atomic_load_n(&stopped, __ATOMIC_RELAXED)); /* one at once */
    arriving = false;
    send_the_rest();
    if (why == ARCH_STOP_DEAD)
        gdb_points_freeze();
    if (monitor && monitor->end(cpu, &status)) {
        take_the_port(absent);
        end_command(status);
    } else {
        stop = describe(cpu, why);
        if (why == ARCH_STOP_STEPPED && range_goes_on(stop.cpu, &stop)) {
            resume_as_asked(&server.request, resume);
            return;
        }
        take_the_port(absent);
        say_absent(absent);
        if (command_is_under_way()) /* and has ended with the machine */
            end_command(0);
        gdb_server_stopped(&server, &stop);
    }
    while (!serve(cpu, why, resume))
        continue;
    __atomic_store_n(&stopped, false, __ATOMIC_RELEASE);
    if (door)
        door->listen(true);
}

/* --- While the machine runs. --- */

/* While a command runs, points are passed. */
static bool debugger_wants(unsigned cpu)
{
    return gdb_points_hit(cpu) && !command_is_under_way();
}

static bool debugger_may_stop(unsigned cpu)
{
    return !gdb_is_sending(cpu);
}

/*
 * gdb says stop; or it begins with a packet: then it is another one than before. What is left is
 * noise.
 */
static bool begins(uint8_t byte)
{
    if (byte == '$' && !command_is_under_way()) {
        server.link.begun = true;
        server.link.no_ack = false;
        server.owes_stop = false;
    }
    return byte == '$' || byte == GDB_BREAK;
}

static enum arch_heard listen_at(const struct gdb_door *at)
{
    enum arch_heard said = ARCH_HEARD_NOTHING;
    int byte;

    if (arriving) /* what comes is the packet's */
        return ARCH_HEARD_NOISE;
    if (server.link.begun)
        return ARCH_HEARD_STOP;
    while (said != ARCH_HEARD_STOP && (byte = at->poll()) >= 0)
        said = begins((uint8_t)byte) ? ARCH_HEARD_STOP : ARCH_HEARD_NOISE;
    return command_is_under_way() && said == ARCH_HEARD_STOP ? ARCH_HEARD_NOISE : said;
}

/*
 * A stop's own port is not read here: the boot CPU may have another reason for an NMI, or stand
 * still while the CPU that stops ran alone. L, with take_the_port: one of the two sees the other.
 * The door is looked at after `stopped`: a stop in which gdb leaves ends when there is none any
 * more.
 */
static enum arch_heard debugger_listens(void)
{
    enum arch_heard said = ARCH_HEARD_NOTHING;
    const struct gdb_door *at;

    __atomic_fetch_add(&listening, 1, __ATOMIC_SEQ_CST);
    if (!__atomic_load_n(&stopped, __ATOMIC_SEQ_CST)) {
        at = __atomic_load_n(&door, __ATOMIC_SEQ_CST);
        said = at ? listen_at(at) : ARCH_HEARD_NOTHING;
    }
    __atomic_fetch_sub(&listening, 1, __ATOMIC_SEQ_CST);
    return said;
}

void gdb_tick(void)
{
    if (!door)
        return;
    for (unsigned cpu = 0; cpu < arch_cpus(); cpu++)
        if (arch_cpu_runs(cpu) && arch_stop_is_due(cpu))
            arch_stop_cpu(cpu);
}

void gdb_panicked(const struct regs *regs)
{
    struct regs dead = *regs; /* no CPU returns to it: gdb may write there */

    if (door)
        arch_stop_dead(&dead);
}

/* Now it is attached; -EBUSY where another port is, or why the CPUs could not be parked. */
static int attach(const struct gdb_door *with, struct refusal *why)
{
    static const struct arch_debugger debugger = {.wants = debugger_wants,
                                                  .owns = gdb_points_own,
                                                  .may_stop = debugger_may_stop,
                                                  .stopped = debugger_stopped,
                                                  .listens = debugger_listens};
    int error = cpus_park(why);

    if (error)
        return error;
    if (door) {
        cpus_release();
        return refuse(why, EBUSY, "gdb is attached at %s already", door->name);
    }
    assert(with && with->poll && with->listen && with->open && with->close);
    door = with;
    gdb_server_init(&server, &door->line, &gdb_machine);
    arch_debugger_attach(&debugger);
    if (door->lends_console) {
        console_before = print_console();
        print_set_console(&lent_sink);
    }
    blind = door->open();
    cpus_release();
    return 0;
}

bool gdb_arrived(uint8_t byte, struct regs *regs)
{
    struct refusal why;

    if (byte != '$' || door)
        return false;
    arriving = true;
    if (attach(own_door, &why)) {
        arriving = false;
        print("gdb: %s\n", why.text);
        return false;
    }
    begins(byte);
    arch_stop_interrupted(regs);
    return true;
}

/* --- Waiting for a gdb. --- */

/*
 * A gdb that came too early has asked already, perhaps more than once, and would take the second
 * answer for that to its next question. It asks again.
 */
static void forget_what_came(void)
{
    uint64_t since = arch_clock_ns();

    while (arch_clock_ns() - since < QUIET_NS)
        if (door->poll() >= 0)
            since = arch_clock_ns();
}

/* A gdb that comes when it reads this loses no question: from here on each byte is answered to. */
static void invite(void)
{
    struct sink *console = door->lends_console ? console_before : print_console();

    print_together_begin();
    print_to(console,
             "gdb: waiting at %s: (gdb) target remote ...; `detach` lets the machine go on\n",
             door->name);
    print_together_end();
}

int gdb_wait_at(const struct gdb_door *with, struct refusal *why)
{
    int error;

    if (monitor)
        monitor->start();
    arriving = true; /* until this stops */
    error = attach(with, why);
    if (error) {
        arriving = false;
        return error;
    }
    forget_what_came();
    invite();
    arch_stop_here();
    return 0;
}

const struct gdb_door *gdb_door_of(bool console)
{
    return !console && own_door ? own_door : lent_door;
}

void gdb_init(const struct gdb_door *own, const struct gdb_door *lent,
              const struct gdb_monitor *commands)
{
    own_door = own;
    lent_door = lent;
    monitor = commands;
    if (!monitor)
        return;
    monitor->set_print(print_to_gdb, say_nothing_new);
    if (own)
        monitor->start();
}
