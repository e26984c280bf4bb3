/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * gdb and the commands: its `monitor` (monitor.h), and the command `gdb`, which waits for it. Not
 * in an object without commands.
 */
#include "core/gdb/monitor.h"

#include "arch/cpu.h"
#include "arch/debugger.h"
#include "arch/regs.h"
#include "core/console/command.h"
#include "core/gdb/debugger.h"
#include "core/gdb/session.h"
#include "core/host.h"
#include "core/lib/arguments.h"
#include "core/lib/print.h"
#include "core/lib/string.h"
#include "core/task.h"

#define ALIVE_NS 1000000000ull /* gdb complains if it gets nothing for two seconds */

enum state { NONE, WANTED, RUNS, DONE };

/* Set in task context, before gdb comes. */
static struct {
    uint64_t ids; /* of the thread; TASK_IDS_NONE: there is none */
    char lacks[160];
} runner = {.ids = TASK_IDS_NONE};

static struct {
    uint32_t state;   /* [A] */
    unsigned cpu;     /* where the held thread stops again. [the held thread] */
    uint64_t told;    /* the last time at which gdb was certain to be told something. [as `cpu`] */
    struct regs kept; /* stored during the stop, as is the line */
    char line[PITOT_MONITOR_SIZE];
} command;

static enum state state_now(void)
{
    return (enum state)__atomic_load_n(&command.state, __ATOMIC_ACQUIRE);
}

static void state_is(enum state state)
{
    __atomic_store_n(&command.state, state, __ATOMIC_RELEASE);
}

bool gdb_monitor_runs(void)
{
    return state_now() != NONE;
}

/* --- The thread that runs commands. --- */

static uint32_t sending; /* [A] 1: the runner or the held thread sends to gdb */

static bool sending_begins(void)
{
    return !__atomic_exchange_n(&sending, 1, __ATOMIC_ACQUIRE);
}

static void sending_ends(void)
{
    __atomic_store_n(&sending, 0, __ATOMIC_RELEASE);
}

/* Waits for the held thread, but not for one on a CPU that a panic has halted meanwhile. */
static void send(const char *bytes, size_t length)
{
    uint64_t since = arch_clock_ns();

    while (!sending_begins() && arch_clock_ns() - since < ALIVE_NS)
        arch_relax();
    gdb_text_print(bytes, length);
    sending_ends();
}

static struct sink *console; /* [runner] the console that runner_sink replaces */

/* Sends the runner's output to gdb, and that of other threads to the console. */
static void runner_write(struct sink *sink, const char *bytes, size_t length)
{
    (void)sink;
    if (task_this_ids() == runner.ids && arch_trap_depth() == 0 && !arch_interrupted())
        send(bytes, length);
    else
        console->write(console, bytes, length);
}

static void run_line(void)
{
    static const char unknown[] =
        "pitot_thread_runs does not report the thread of thread_start: nothing runs for gdb\n";
    static struct sink sink = {runner_write};

    if (task_this_ids() != runner.ids) {
        send(unknown, sizeof(unknown) - 1);
        return;
    }
    console = print_console();
    print_set_console(&sink);
    host.command(command.line);
    print_set_console(console);
    if (host.task_rename)
        host.task_rename("gdb"); /* a recording may have renamed it */
}

static int is_wanted(void)
{
    return state_now() == WANTED;
}

static void runner_main(void *unused)
{
    (void)unused;
    for (;;) {
        host.wait(PITOT_MONITOR, is_wanted);
        state_is(RUNS);
        run_line();
        command_owner_release();
        state_is(DONE);
        host.wake(PITOT_MONITOR);
    }
}

void gdb_monitor_start(void)
{
    const char *why = host.command ? "thread_start, wait or wake of struct pitot_kernel is 0"
                                   : "command of struct pitot_kernel is 0, and so is print";
    unsigned pid;

    if (runner.ids != TASK_IDS_NONE)
        return;
    if (host.command && host.thread_start && host.wait && host.wake)
        why = host.thread_start("gdb", runner_main, &pid);
    if (why)
        print_into(runner.lacks, sizeof(runner.lacks), "this kernel runs no commands for gdb: %s",
                   why);
    else
        runner.ids = task_ids_of(pid);
}

/* --- The stopped thread: lets the others run until the command is done, then stops again. --- */

static bool is_late(void)
{
    return arch_clock_ns() - __atomic_load_n(&command.told, __ATOMIC_RELAXED) > ALIVE_NS;
}

static int is_done_or_late(void)
{
    return state_now() == DONE || is_late();
}

/* If the runner is sending, gdb hears from it. */
static void tell_alive(void)
{
    uint64_t flags;

    print_together_begin();
    flags = arch_irq_save();
    if (sending_begins()) {
        gdb_text_keep_alive();
        sending_ends();
    }
    __atomic_store_n(&command.told, arch_clock_ns(), __ATOMIC_RELAXED);
    arch_irq_restore(flags);
    print_together_end();
}

/* Returns only if another stop has come first. */
static void stop_again(void)
{
    uint64_t flags = arch_irq_save();

    command.cpu = arch_cpu_id(); /* the kernel may have moved the thread */
    arch_stop_here();
    command.cpu = ARCH_NO_CPU;
    arch_irq_restore(flags);
}

static void hold(void)
{
    __atomic_store_n(&command.told, arch_clock_ns(), __ATOMIC_RELAXED);
    host.wake(PITOT_MONITOR);
    while (state_now() != DONE) {
        host.wait(PITOT_MONITOR, is_done_or_late);
        if (state_now() != DONE)
            tell_alive();
    }
    for (;;)
        stop_again();
}

void gdb_monitor_tick(void)
{
    enum state now = state_now();

    if ((now == WANTED || now == RUNS) && is_late())
        host.wake(PITOT_MONITOR);
}

/* --- In stops. --- */

bool gdb_monitor_refuses(const char *line, struct sink *to)
{
    static char text[PITOT_MONITOR_SIZE];
    struct arguments_command only, other;
    struct arguments arguments;

    if (!arguments_next_command(&line, &only) || arguments_next_command(&line, &other) ||
        only.length >= sizeof(text))
        return false;
    memcpy(text, only.text, only.length);
    text[only.length] = '\0';
    return arguments_split(text, &arguments, NULL) == 0 &&
           command_refuse(arguments.count, arguments.value, to);
}

const char *gdb_monitor_begin(unsigned cpu, const char *line)
{
    if (runner.ids == TASK_IDS_NONE)
        return runner.lacks;
    if (pitot_preemption[cpu].off > 0)
        return "this CPU holds a spinlock, or preemption is off for another reason: first go to a "
               "place where it is on (for example by `finish`)";
    if (task_ids[cpu] == runner.ids)
        return "this CPU runs the thread that runs commands for gdb: first let it go on";
    if (!command_owner_claim(runner.ids, "gdb's monitor"))
        return "the console is running a command: let it end first";
    if (!arch_stop_divert(cpu, hold, &command.kept)) {
        command_owner_release();
        return "this CPU is in an interrupt's handler or a program, has interrupts off, or has too "
               "little left of its stack: first go to a place in a thread (for example by "
               "`finish`)";
    }
    command.cpu = ARCH_NO_CPU;
    memcpy(command.line, line, strlen(line) + 1);
    state_is(WANTED);
    return NULL;
}

bool gdb_monitor_ends(unsigned cpu)
{
    if (state_now() != DONE || cpu != command.cpu)
        return false;
    *arch_stopped_regs(cpu) = command.kept;
    state_is(NONE);
    return true;
}

/* --- The command `gdb`. Task context. --- */

static int gdb_run(int argc, char **argv)
{
    bool lends = argc == 2 && strcmp(argv[1], "console") == 0;
    const struct gdb_door *door = gdb_door_of(lends);
    struct refusal why;
    int error;

    if (gdb_tell(print_console()))
        return 0;
    if (argc > 1 && !lends)
        error = refuse(&why, EINVAL,
                       "\"%s\": use `gdb` alone, or `gdb console` to lend gdb the console's port",
                       argv[1]);
    else
        error =
            door ? gdb_wait_at(door, &why) : refuse(&why, ENODEV, "there is no serial port for it");
    if (error)
        print("gdb: %s\n", why.text);
    return error;
}

PITOT_COMMAND(gdb, "[console]",
              "waits for gdb at a serial port; once attached, tells what was refused last",
              gdb_run);
