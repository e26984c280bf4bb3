/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The progress line of long commands (core/console/command.h). It overwrites itself after a
 * carriage return, and ends in a newline before any other output, because `begin-base64` must start
 * in the first column, in a log as well. While it is shown, its sink is in front of the console's.
 * Task context; a panic that prints meanwhile only adds the newline.
 */
#include "core/console/command.h"

#include <stdint.h>

#include "arch/cpu.h"
#include "core/lib/print.h"

#define SECOND_NS 1000000000ull

static void progress_write(struct sink *sink, const char *bytes, size_t length);

static struct {
    struct sink sink;
    struct sink *console; /* the console's sink; kept after the line ends, for prints in progress */
    bool stands;          /* a line is shown */
    size_t length;
    uint64_t next_ns; /* earliest time of the next line */
} progress = {.sink = {progress_write}};

/* Other output ends the line. Later pieces of the same print still arrive here. */
static void progress_write(struct sink *sink, const char *bytes, size_t length)
{
    (void)sink;
    print_together_begin();
    progress_end();
    progress.console->write(progress.console, bytes, length);
    print_together_end();
}

void progress_begin(void)
{
    progress.next_ns = arch_clock_ns() + SECOND_NS;
}

void progress_end(void)
{
    print_together_begin(); /* because a print on another CPU may end the line, too */
    if (progress.stands) {
        progress.stands = false;
        if (print_console() == &progress.sink)
            print_set_console(progress.console);
        progress.console->write(progress.console, "\n", 1);
    }
    print_together_end();
}

/* The line's sink may be in front already: code that replaced the console may have restored it. */
static void progress_stand(void)
{
    if (progress.stands)
        return;
    progress.stands = true;
    progress.length = 0;
    if (print_console() == &progress.sink)
        return;
    progress.console = print_console();
    print_set_console(&progress.sink);
}

void pitot_progress(const char *what, unsigned long done, unsigned long total)
{
    char line[80];
    uint64_t now = arch_clock_ns();

    if (now < progress.next_ns || !print_console())
        return;
    progress.next_ns = now + SECOND_NS;
    print_together_begin();
    progress_stand();
    /* blanks cover the rest of the old line */
    size_t length = print_into(line, sizeof(line), "%s: %lu of %lu", what, done, total);
    length = length < sizeof(line) ? length : sizeof(line) - 1;
    int covered = progress.length > length ? (int)(progress.length - length) : 0;
    print_to(progress.console, "\r%s%*s", line, covered, "");
    progress.length = length;
    print_together_end();
}
