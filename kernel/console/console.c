/* SPDX-License-Identifier: BSD-2-Clause */
/* The console's loop: turns bytes into lines, and runs them. Task context. */
#include "kernel/console/console.h"

#include "core/lib/print.h"
#include "kernel/console/complete.h"
#include "kernel/console/input.h"
#include "kernel/console/line.h"

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
