/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs the commands of a line or script, in one thread at a time. Task context. */
#include <linux/errno.h>

#include "core/lib/arguments.h"
#include "core/lib/print.h"
#include "core/lib/refusal.h"
#include "core/lib/string.h"
#include "core/pitot.h"
#include "kernel/console/console.h"
#include "kernel/console/input.h"
#include "kernel/console/line.h"
#include "kernel/host.h"

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
