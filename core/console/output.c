/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * See command.h: what commands print, and ^C, as the kernel reports it (core/pitot.h), which cuts
 * the output, so that loops need not check, and ends a record source. Task context.
 */
#include "core/console/command.h"

#include "core/host.h"
#include "core/lib/print.h"
#include "core/lib/string.h"

bool command_interrupted(void)
{
    return host.interrupted && host.interrupted(PITOT_INTERRUPT_ASK);
}

bool command_take_interrupt(void)
{
    return host.interrupted && host.interrupted(PITOT_INTERRUPT_TAKE);
}

void command_wait_interrupt(void)
{
    if (host.interrupted)
        host.interrupted(PITOT_INTERRUPT_AWAIT);
}

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

/* --- A record source that ^C ends. --- */

static void interruptible_rewind(struct record_source *source)
{
    struct record_source *records = ((struct interruptible *)source)->records;

    records->rewind(records);
}

static const struct perf_event_header *interruptible_next(struct record_source *source)
{
    struct record_source *records = ((struct interruptible *)source)->records;

    return command_interrupted() ? NULL : records->next(records);
}

struct interruptible interruptible_records(struct record_source *records)
{
    return (struct interruptible){.source = {.rewind = interruptible_rewind,
                                             .next = interruptible_next,
                                             .events = records->events,
                                             .event_count = records->event_count},
                                  .records = records};
}
