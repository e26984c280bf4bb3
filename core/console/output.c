/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * command_output() of command.h, and pitot_print. ^C cuts the output, so that loops need not check.
 * Task context.
 */
#include "core/console/command.h"

#include "core/lib/print.h"
#include "core/lib/string.h"

static void output_write(struct sink *sink, const char *bytes, size_t length);

/* Written by the task that runs commands. */
static struct {
    struct sink sink;
    bool line_open; /* the last output did not end in a newline */
    bool cut;       /* ^C was typed, and the open line is complete */
} output = {.sink = {output_write}};

static size_t rest_of_line(const char *bytes, size_t length)
{
    size_t rest = 0;

    while (rest < length && bytes[rest] != '\n')
        rest++;
    return rest < length ? rest + 1 : length;
}

static void output_write(struct sink *sink, const char *bytes, size_t length)
{
    bool interrupted = command_interrupted();

    (void)sink;
    output.cut &= interrupted;
    if (output.cut || length == 0)
        return;
    if (interrupted)
        length = output.line_open ? rest_of_line(bytes, length) : 0;
    if (length > 0) {
        print_to(print_console(), "%.*s", (int)length, bytes);
        output.line_open = bytes[length - 1] != '\n';
    }
    output.cut = interrupted && !output.line_open;
}

struct sink *command_output(void)
{
    output.line_open = false;
    output.cut = false;
    return &output.sink;
}

void pitot_print(const char *format, ...)
{
    va_list list;

    va_start(list, format);
    print_list_to(&output.sink, format, list);
    va_end(list);
}
