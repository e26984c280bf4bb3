/* SPDX-License-Identifier: BSD-2-Clause */
/* gdb's `monitor`: runs a console command in its own thread during a stop (docs/gdb.md). */
#include "kernel/host.h"

#include "arch/cpu.h"
#include "arch/debugger.h"
#include "arch/park.h"
#include "arch/regs.h"
#include "core/lib/print.h"
#include "core/lib/string.h"
#include "kernel/console/command_owner.h"
#include "kernel/console/console.h"
#include "kernel/console/input.h"
#include "kernel/sched/preempt.h"
#include "kernel/sched/scheduler.h"
#include "kernel/sched/wait_queue.h"

#define ALIVE_NS 1000000000ull

enum state { NONE, WANTED, RUNS, DONE };

static struct wait_queue wanted = WAIT_QUEUE("gdb_commands");
static struct thread *runner; /* set once */

static struct {
    uint32_t state; /* [A] */
    unsigned cpu;   /* stored during the stop, as are the next two */
    struct regs kept;
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

/* Set at boot, as is the next. */
static unsigned long (*print_to_gdb)(const char *text, unsigned long length);
static void (*tell_alive)(void);
static struct sink *console; /* [runner] the console that runner_sink replaces */

/* Sends the runner's output to gdb, and that of other threads to the console. */
static void runner_write(struct sink *sink, const char *bytes, size_t length)
{
    (void)sink;
    if (thread_current() == runner && arch_trap_depth() == 0 && !arch_interrupted())
        print_to_gdb(bytes, length);
    else
        console->write(console, bytes, length);
}

static struct sink runner_sink = {runner_write};

static void monitor_set_print(unsigned long (*text_to)(const char *text, unsigned long length),
                              void (*alive)(void))
{
    print_to_gdb = text_to;
    tell_alive = alive;
}

static void runner_main(void *unused)
{
    (void)unused;
    for (;;) {
        uint64_t flags = wait_queue_lock(&wanted);

        while (state_now() != WANTED)
            flags = wait_queue_sleep(&wanted, flags);
        wait_queue_unlock(&wanted, flags);
        state_is(RUNS);
        console = print_console();
        print_set_console(&runner_sink);
        console_execute(command.line);
        input_release_interrupt();
        print_set_console(console);
        thread_set_name(runner, "gdb"); /* a recording may have renamed it */
        command_owner_release();
        state_is(DONE);
    }
}

static void monitor_start(void)
{
    struct refusal why;

    if (!runner)
        runner = thread_create("gdb", runner_main, NULL, &why);
}

/*
 * Runs on the stopped thread: lets the runner work until the command is done, and then stops again;
 * monitor_end then restores the thread. An idle thread must not sleep, so it yields.
 */
static void hold(void)
{
    bool idles = thread_current()->pid == 0;
    uint64_t told = arch_clock_ns();

    wait_queue_wake_all(&wanted);
    while (state_now() != DONE) {
        if (arch_clock_ns() - told > ALIVE_NS) {
            tell_alive();
            told = arch_clock_ns();
        }
        if (idles)
            thread_yield();
        else
            thread_sleep_ns(1);
        arch_relax();
    }
    for (;;)
        arch_stop_here();
}

static const char *monitor_begin(unsigned cpu, const char *line)
{
    if (!runner)
        return "there is no thread for commands";
    if (pitot_preemption[cpu].off > 0)
        return "this CPU holds a spinlock, or preemption is off for another reason: first go to a "
               "place where it is on (for example by `finish`)";
    if (!command_owner_claim(runner, "gdb's monitor"))
        return "the console is running a command: let it end first";
    if (!arch_stop_divert(cpu, hold, &command.kept)) {
        command_owner_release();
        return "this CPU is in an interrupt's handler or a program, or has interrupts off: first "
               "go to a place in a thread (for example by `finish`)";
    }
    input_claim_interrupt();
    command.cpu = cpu;
    memcpy(command.line, line, strlen(line) + 1);
    state_is(WANTED);
    return NULL;
}

static int monitor_under_way(void)
{
    return state_now() != NONE;
}

static int monitor_end(unsigned cpu)
{
    if (state_now() != DONE || cpu != command.cpu)
        return 0;
    *arch_stopped_regs(cpu) = command.kept;
    state_is(NONE);
    return 1;
}

const struct pitot_monitor gdb_monitor = {.start = monitor_start,
                                          .refuse_unknown = console_refuse_unknown,
                                          .begin = monitor_begin,
                                          .under_way = monitor_under_way,
                                          .end = monitor_end,
                                          .set_print = monitor_set_print};
