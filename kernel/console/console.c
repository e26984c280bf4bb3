/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The console: its loop turns bytes into lines, and runs the commands of a line or script, in one
 * thread at a time. Task context.
 */
#include "kernel/console/console.h"

#include <linux/errno.h>

#include "core/lib/arguments.h"
#include "core/lib/print.h"
#include "core/lib/refusal.h"
#include "core/lib/string.h"
#include "core/pitot.h"
#include "kernel/console/input.h"
#include "kernel/console/line.h"
#include "kernel/host.h"

/* --- Commands. --- */

static int say(const struct refusal *why, int error)
{
    print("%s\n", why->text);
    return error;
}

/* arguments_split modifies a copy on the stack, so that a command may run commands. */
static int run_command(const struct arguments_command *command)
{
    char text[LINE_LENGTH_MAX + 1];
    struct arguments arguments;
    struct refusal why;

    if (command->length > LINE_LENGTH_MAX)
        return say(&why, refuse(&why, E2BIG, "the command has %zu characters, %d are allowed",
                                command->length, LINE_LENGTH_MAX));
    memcpy(text, command->text, command->length);
    text[command->length] = '\0';

    int error = arguments_split(text, &arguments, &why);
    if (error)
        return say(&why, error);
    return pitot_run_words(arguments.count, arguments.value);
}

static int run_commands(const char *script, bool shown)
{
    struct arguments_command command;
    int status = 0;

    while (arguments_next_command(&script, &command)) {
        if (shown)
            print(CONSOLE_PROMPT "%.*s\n", (int)command.length, command.text);
        status = run_command(&command);
        if (input_take_interrupt() || status == -EINTR) {
            print("^C\n");
            return -EINTR;
        }
    }
    return status;
}

static int run_owned(const char *script, bool shown)
{
    struct arguments_command first;
    const char *rest = script, *owner;
    int status;

    if (!arguments_next_command(&rest, &first))
        return 0;
    owner = pitot_commands_claim();
    if (owner) {
        print("%s is running a command: end it with ^C, or wait\n", owner);
        return -EBUSY;
    }
    status = run_commands(script, shown);
    pitot_commands_release();
    return status;
}

int console_execute(const char *line)
{
    return run_owned(line, false);
}

int console_script(const char *text)
{
    return run_owned(text, true);
}

int console_run_for_gdb(const char *line)
{
    int status;

    input_claim_interrupt();
    status = console_execute(line);
    input_release_interrupt();
    return status;
}

/* --- The loop. --- */

/* A message of another task stands after the prompt: the prompt comes again. */
static uint8_t next_byte(struct line *line)
{
    uint8_t byte;

    while (!input_get(&byte)) {
        input_wait();
        if (input_take_message())
            line_show(line);
    }
    return byte;
}

/* Writes to the sink that print() currently uses. */
static void echo_write(struct sink *sink, const char *bytes, size_t length)
{
    (void)sink;
    struct sink *console = print_console();

    if (console)
        console->write(console, bytes, length);
}

void console_run(void)
{
    static struct sink echo = {echo_write};
    static struct line line;

    line_init(&line, &echo, CONSOLE_PROMPT, &complete_words);
    for (;;) {
        enum line_state state = LINE_OPEN;

        input_take_message(); /* of before the prompt */
        line_begin(&line);
        while (state == LINE_OPEN)
            state = line_put(&line, next_byte(&line));
        if (state == LINE_DONE)
            console_execute(line.text);
    }
}
