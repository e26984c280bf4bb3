/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Real work for the proof: commands of the console, typing, and functions of every shape. Its
 * output is discarded. Commands that set debug registers are left out, as the stepper uses them.
 */
#include "tests/kernel/proof_work.h"

#include "core/console/command.h"
#include "core/lib/arguments.h"
#include "core/lib/print.h"
#include "core/lib/refusal.h"
#include "kernel/console/line.h"
#include "tests/kernel/proof_shapes.h"
#include "tests/kernel/proof_step.h"

static const char *const short_commands[] = {"bt", "regs", NULL};

static const char *const all_commands[] = {
    /* First: other commands drop the recording that was prepared for these. */
    "perf script",
    "perf script -F iregs",
    "perf report -g caller",
    "perf report -g callee,5 -s sym",
    "bt",
    "regs",
    "perf list lock:*",
    "help",
    "help perf",
    "nonsense",
    "crash",
    "ps",
    "memory",
    "cpus",
    "bt 1",
    "run nothing",
    "run calls none",
    "perf stat -e kmem:mm_page_alloc --filter 'order > 2 && (address == 3 || odd == 1)' -- ps",
    "perf stat -r 2 -e lock:lock_acquire --by name -e kmem:mm_page_alloc --hist order -- ps",
    "perf stat --from lock:lock_acquire --to lock:lock_release --by caller -- help",
    "perf record -e irq:* --trigger mem:t:w -- ps",
    "perf record -e cpu-clock -F 0 -- ps",
    "perf record -e mem:0x10:w -g --skip 3 -c 5 -m 64k -- help",
    "perf record -e mem:kernel_flag/40:rw/period=3,skip=1/ -- help",
    "perf report -F period",
    "fs-stress 1",
    "fs-stress none",
    NULL,
};

/* Typed as by a person, with TAB, cursor keys, and the history. */
static const char typed[] = "hlep\b\b\b\be\tl\x01h\x05p pe\t\r"
                            "perf re\t\tc\t-e mem:kern\t:w\x15\x1b[A\x1b[D\x1b[3~x\x17\r"
                            "perf record --call-\t \t\x03";

static unsigned shapes_runs;

static void swallow(struct sink *sink, const char *bytes, size_t length)
{
    (void)sink;
    (void)bytes;
    (void)length;
}

static struct sink nowhere = {.write = swallow};

static int work_command(const char *command)
{
    char text[80];
    struct arguments arguments;
    struct refusal why;
    int error;

    print_into(text, sizeof(text), "%s", command);
    error = arguments_split(text, &arguments, &why);
    return error ? error : command_run(arguments.count, arguments.value);
}

static void work_typing(void)
{
    static struct line line;

    line_init(&line, &nowhere, "> ", &complete_words);
    line_begin(&line);
    for (const char *key = typed; *key; key++)
        if (line_put(&line, (uint8_t)*key) != LINE_OPEN)
            line_begin(&line);
}

static void work_shape(void)
{
    shapes_run();
    proof_quiet(true);
    shapes_run_realigned();
    proof_quiet(false);
    shapes_runs++;
}

static void work_commands(const char *const *commands)
{
    bool again = false;

    do {
        work_shape();
        for (size_t i = 0; commands[i] && (!again || proof_wants_more()); i++)
            work_command(commands[i]);
        again = true;
    } while (proof_wants_more());
}

int work_prepare(void)
{
    struct sink *console = print_console();
    int error;

    print_set_console(&nowhere);
    error = work_command("perf record -e mem:kernel_flag:rw -g -c 400 -- fs-stress 1");
    print_set_console(console);
    return error;
}

void work_short(void)
{
    struct sink *console = print_console();

    shapes_runs = 0;
    print_set_console(&nowhere);
    work_commands(short_commands);
    print_set_console(console);
}

void work_all(void)
{
    struct sink *console = print_console();

    shapes_runs = 0;
    print_set_console(&nowhere);
    work_commands(all_commands);
    work_typing();
    print_set_console(console);
}

unsigned work_shapes(void)
{
    return shapes_runs;
}
