/* SPDX-License-Identifier: BSD-2-Clause */
/* Reports a stop and serves gdb in it. On the stopped CPU; may neither trap nor wait for a lock. */
#include "arch/cpu.h"
#include "arch/debugger.h"
#include "arch/regs.h"
#include "core/gdb/monitor.h"
#include "core/gdb/session.h"
#include "core/host.h"
#include "core/lib/assert.h"
#include "core/lib/print.h"
#include "core/lib/string.h"

/* The other CPUs run only before one in this many steps. */
#define STEPS_ALONE 64

static void detach(void)
{
    assert(gdb_session.door);
    gdb_points_clear();
    arch_debugger_attach(NULL);
    gdb_session.door->listen(false);
    gdb_session.door->close();
    if (gdb_session.door->lends_console)
        print_set_console(gdb_session.console_before);
    gdb_session.door = NULL;
}

/*
 * gdb asks for all CPUs to run during a step. The others run only before one in STEPS_ALONE steps,
 * and only if the CPU that steps has caused the stop: any other must step from where gdb saw it.
 */
static void resume_as_asked(unsigned cpu, const struct gdb_request *request,
                            struct arch_resume *resume)
{
    bool all = request->all;

    if (!request->step)
        gdb_session.steps = 0;
    else
        all = all && request->only == cpu && ++gdb_session.steps % STEPS_ALONE == 0;
    *resume = (struct arch_resume){.all = all, .only = request->only, .step = request->step};
}

/* True if a range step continues: it ends outside its range, at a point, or if gdb sends ^C. */
static bool range_goes_on(unsigned cpu, struct gdb_stop *stop)
{
    const struct gdb_request *request = &gdb_session.server.request;
    uint64_t ip = arch_stopped_regs(cpu)->ip;

    if (!gdb_session.server.owes_stop || !request->step || request->only != cpu ||
        stop->reason != GDB_STOPPED_BY_SIGNAL || ip < request->start || ip >= request->end ||
        !arch_stop_steps(cpu))
        return false;
    if (gdb_session.door->poll() != GDB_BREAK)
        return true;
    stop->signal = GDB_SIGNAL_INTERRUPT;
    return false;
}

static struct gdb_stop describe(unsigned cpu, enum arch_stop why)
{
    struct gdb_stop stop = {.cpu = cpu, .signal = GDB_SIGNAL_TRAP};

    if (why == ARCH_STOP_STEPPED && gdb_session.server.request.step)
        stop.cpu = gdb_session.server.request.only; /* may have stepped without running */
    if (!gdb_points_take(cpu, &stop) && why == ARCH_STOP_BREAK)
        stop.signal = GDB_SIGNAL_INTERRUPT;
    if (why == ARCH_STOP_DEAD)
        stop.signal = GDB_SIGNAL_ABORTED;
    return stop;
}

static void server_write(struct sink *sink, const char *bytes, size_t length)
{
    (void)sink;
    gdb_server_print(&gdb_session.server, bytes, length);
}

/*
 * Answers `monitor gdb`, because commands may not be able to run, and what is no command: front
 * ends try those of other stubs at each stop, and the machine must not run for that.
 */
static bool answer_here(const char *line)
{
    static struct sink to_gdb = {server_write};

    if (strcmp(line, "gdb") == 0)
        gdb_tell(&to_gdb);
    else if (!gdb_monitor_refuses(line, &to_gdb))
        return false;
    gdb_server_command_done(&gdb_session.server, 0);
    return true;
}

/* Returns true if all CPUs must resume to run the command. */
static bool begin_command(unsigned cpu, enum arch_stop why)
{
    const char *problem;

    if (answer_here(gdb_session.server.request.command))
        return false;
    if (why == ARCH_STOP_DEAD)
        problem = AFTER_A_PANIC;
    else
        problem = gdb_monitor_begin(cpu, gdb_session.server.request.command);
    if (!problem) {
        gdb_points_lift(true);
        return true;
    }
    gdb_server_print(&gdb_session.server, problem, strlen(problem));
    gdb_server_print(&gdb_session.server, "\n", 1);
    gdb_server_command_done(&gdb_session.server, -EBUSY);
    return false;
}

/* Reports success even if the command failed: it has printed its error itself. */
static void end_command(void)
{
    gdb_points_lift(false);
    gdb_server_command_done(&gdb_session.server, 0);
}

static void say_of_cpu(unsigned cpu, const char *what)
{
    char text[100];
    size_t length = print_into(text, sizeof(text), "CPU %u %s\n", cpu, what);

    gdb_server_print(&gdb_session.server, text, length);
}

/* In a stop of `cpu`: true if it can end as asked; otherwise tells gdb why not. */
static bool can_go_on(unsigned cpu, const struct gdb_request *request)
{
    unsigned only = request->only;

    if (only == GDB_NO_CPU)
        return true;
    if (!arch_stopped_regs(only))
        say_of_cpu(only, "does not answer: it is still running");
    else if (request->step && !arch_stop_steps(only))
        say_of_cpu(only, "runs or enters a program: programs of this kernel cannot be stepped");
    else if (only != cpu && arch_park_is_changing())
        say_of_cpu(cpu, "has parked the others to make a change: it has to continue first");
    else
        return true;
    return false;
}

/* gdb would take a stop without a signal for a step inside a line, and repeat it. */
static void refuse_step_of_dead(unsigned cpu)
{
    static const char text[] = AFTER_A_PANIC ": `continue` ends the machine\n";

    gdb_server_print(&gdb_session.server, text, sizeof(text) - 1);
    gdb_server_stopped(&gdb_session.server,
                       &(struct gdb_stop){.cpu = cpu, .signal = GDB_SIGNAL_ABORTED});
}

/* True if gdb's request ends the stop. */
static bool serve(unsigned cpu, enum arch_stop why, struct arch_resume *resume)
{
    gdb_server_serve(&gdb_session.server);
    switch (gdb_session.server.request.kind) {
    case GDB_RESUME:
        if (why == ARCH_STOP_DEAD && gdb_session.server.request.step) {
            refuse_step_of_dead(cpu);
            return false;
        }
        if (why == ARCH_STOP_DEAD) {
            gdb_server_ended(&gdb_session.server, 'X', GDB_SIGNAL_ABORTED);
            return true;
        }
        if (!can_go_on(cpu, &gdb_session.server.request)) {
            /* gdb 18 may ignore a SIGTRAP of a CPU that it has not resumed, and resume that. */
            gdb_server_stopped(&gdb_session.server,
                               &(struct gdb_stop){.cpu = cpu, .signal = GDB_SIGNAL_INTERRUPT});
            return false;
        }
        resume_as_asked(cpu, &gdb_session.server.request, resume);
        return true;
    case GDB_COMMAND:
        return begin_command(cpu, why);
    case GDB_DETACH:
        detach();
        return true;
    case GDB_KILL:
    case GDB_RESTART:
        if (host.power)
            host.power(gdb_session.server.request.kind == GDB_KILL ? PITOT_POWER_OFF
                                                                   : PITOT_POWER_RESET);
        return true;
    case GDB_GONE:
        break;
    }
    return false;
}

/* Takes the port from the boot CPU, which may be reading it. L pairs with debugger_listens. */
static void take_the_port(unsigned absent)
{
    gdb_session.door->listen(false);
    __atomic_store_n(&gdb_session.stopped, true, __ATOMIC_SEQ_CST);
    while (absent != 0 && __atomic_load_n(&gdb_session.listening, __ATOMIC_SEQ_CST) > 0)
        arch_relax();
}

/*
 * Called at the end of a stop. A ^C may have come before gdb knew of this stop or showed it. It
 * needs a stop of its own, unless this stop was reported as a ^C, or gdb waits for no stop (after a
 * command or detach): its user then has the prompt.
 */
static void keep_interrupt(const struct gdb_stop *stop, const struct arch_resume *resume)
{
    bool *interrupted = &gdb_session.server.link.interrupted;

    if (stop->signal == GDB_SIGNAL_INTERRUPT || !gdb_session.server.owes_stop)
        __atomic_store_n(interrupted, false, __ATOMIC_RELAXED);
    else if (__atomic_load_n(interrupted, __ATOMIC_RELAXED))
        arch_stop_cpu(resume->all ? 0 : resume->only);
}

void gdb_stop_serve(unsigned cpu, enum arch_stop why, unsigned absent, struct arch_resume *resume)
{
    struct gdb_stop stop = {.signal = GDB_SIGNAL_TRAP};

    assert(gdb_session.door);
    assert(why == ARCH_STOP_DEAD || !__atomic_load_n(&gdb_session.stopped, __ATOMIC_RELAXED));
    gdb_session.arriving = false;
    gdb_text_send_rest();
    if (why == ARCH_STOP_DEAD)
        gdb_points_freeze();
    if (gdb_monitor_ends(cpu)) {
        take_the_port(absent);
        end_command();
    } else {
        stop = describe(cpu, why);
        if (why == ARCH_STOP_STEPPED && range_goes_on(stop.cpu, &stop)) {
            resume_as_asked(cpu, &gdb_session.server.request, resume);
            return;
        }
        take_the_port(absent);
        if (absent != ARCH_NO_CPU && gdb_session.server.owes_stop)
            say_of_cpu(absent, "does not answer: it continues to run");
        if (gdb_monitor_runs()) /* the command has ended with the machine */
            end_command();
        gdb_server_stopped(&gdb_session.server, &stop);
    }
    while (!serve(cpu, why, resume))
        continue;
    keep_interrupt(&stop, resume);
    __atomic_store_n(&gdb_session.stopped, false, __ATOMIC_RELEASE);
    if (gdb_session.door)
        gdb_session.door->listen(true);
}
