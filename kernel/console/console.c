/* SPDX-License-Identifier: BSD-2-Clause */
/* The console's loop: turns bytes into lines, and runs them. Task context. */
#include "kernel/console/console.h"

#include "core/lib/print.h"
#include "kernel/console/complete.h"
#include "kernel/console/input.h"
#include "kernel/console/input_wait.h"
#include "kernel/console/line.h"

static uint8_t next_byte(void)
{
    uint8_t byte;

    while (!input_get(&byte))
        input_wait();
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

        line_begin(&line);
        while (state == LINE_OPEN)
            state = line_put(&line, next_byte());
        if (state == LINE_DONE)
            console_execute(line.text);
    }
}
