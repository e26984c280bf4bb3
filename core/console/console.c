/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The console's loop and the way from a line to its commands (core/console/console.h).
 * boot/main.c starts it when all else runs. Task context.
 */
#include "core/console/console.h"

#include <linux/errno.h>

#include "core/console/command.h"
#include "core/console/complete.h"
#include "core/console/input.h"
#include "core/console/input_wait.h"
#include "core/console/line.h"
#include "core/console/progress.h"
#include "core/console/words.h"
#include "core/print.h"
#include "core/refusal.h"
#include "core/string.h"

#define PROMPT "pitot> "

static int say(const struct refusal *why, int error)
{
    print("%s\n", why->text);
    return error;
}

/* The copy that words_split takes apart is on the stack, so that a command may run commands. */
static int run_command(const struct words_command *command)
{
    char text[LINE_LENGTH_MAX + 1];
    struct words words;
    struct refusal why;

    if (command->length > LINE_LENGTH_MAX)
        return say(&why, refuse(&why, E2BIG, "the command has %zu characters, %d are possible",
                                command->length, LINE_LENGTH_MAX));
    memcpy(text, command->text, command->length);
    text[command->length] = '\0';

    int error = words_split(text, &words, &why);
    if (error)
        return say(&why, error);
    progress_begin();
    int status = command_run(words.count, words.word);
    progress_end();
    return status;
}

static int run_commands(const char *script, bool shown)
{
    struct words_command command;
    int status = 0;

    while (words_next_command(&script, &command)) {
        if (shown)
            print(PROMPT "%.*s\n", (int)command.length, command.text);
        status = run_command(&command);
        if (input_take_interrupt() || status == -EINTR) {
            print("^C\n");
            return -EINTR;
        }
    }
    return status;
}

int console_execute(const char *line)
{
    return run_commands(line, false);
}

int console_script(const char *text)
{
    return run_commands(text, true);
}

static uint8_t next_byte(void)
{
    uint8_t byte;

    while (!input_get(&byte))
        input_wait();
    return byte;
}

/* To wherever print() goes at the moment. */
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

    line_init(&line, &echo, PROMPT, &complete_words);
    for (;;) {
        enum line_state state = LINE_OPEN;

        line_begin(&line);
        while (state == LINE_OPEN)
            state = line_put(&line, next_byte());
        if (state == LINE_DONE)
            console_execute(line.text);
    }
}
