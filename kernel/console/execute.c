/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs the commands of a line or script, in one thread at a time. Task context. */
#include <linux/errno.h>

#include "arch/cpu.h"
#include "core/lib/arguments.h"
#include "core/lib/print.h"
#include "core/lib/refusal.h"
#include "core/lib/string.h"
#include "core/pitot.h"
#include "kernel/console/command_owner.h"
#include "kernel/console/console.h"
#include "kernel/console/input.h"
#include "kernel/console/line.h"
#include "kernel/sched/thread.h"

static int say(const struct refusal *why, int error)
{
    print("%s\n", why->text);
    return error;
}

ARCH_HIT_TEXT int console_refuse_unknown(const char *line, struct sink *to)
{
    static char text[LINE_LENGTH_MAX + 1];
    struct arguments_command only, other;
    struct arguments arguments;

    if (!arguments_next_command(&line, &only) || arguments_next_command(&line, &other) ||
        only.length > LINE_LENGTH_MAX)
        return 0;
    memcpy(text, only.text, only.length);
    text[only.length] = '\0';
    return arguments_split(text, &arguments, NULL) == 0 &&
           pitot_refuse_command(arguments.count, arguments.value, to);
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
    const char *rest = script;
    int status;

    if (!arguments_next_command(&rest, &first))
        return 0;
    if (!command_owner_claim(thread_current(), "the console")) {
        print("%s is running a command: end it with ^C, or wait\n", command_owner_name());
        return -EBUSY;
    }
    status = run_commands(script, shown);
    command_owner_release();
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
