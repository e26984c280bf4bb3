/* SPDX-License-Identifier: BSD-2-Clause */
/* Level 0, tracepoints: what Pitot needs, and a recording with the command line's options. */
#include "ports/c/kernel.h"

#include "pitot.h"

#define COM2 0x2f8

unsigned pitot_host_cpu(void)
{
    return this_cpu()->number;
}

/* Cycles will do: nothing here needs real time. */
unsigned long long pitot_host_clock(void)
{
    return cpu_cycles();
}

void pitot_host_write(const void *bytes, unsigned long length)
{
    serial_write(COM2, bytes, length);
}

void pitot_host_panic(const char *what)
{
    say(what);
    say("\n");
    stop_machine(2);
}

static void refused(const char *why)
{
    if (!why)
        return;
    say("refused: ");
    say(why);
    say("\n");
    stop_machine(3);
}

void pitot_prepare(void)
{
    static const struct pitot_kernel kernel = {
        .text = text_start,
        .text_end = text_end,
        .name = "boot",
        .traps = &trap_place, /* PITOT 1 */
        .trap_count = 1,      /* PITOT 1 */
        .gate = gate_start,   /* PITOT 1 */
        .gate_end = gate_end, /* PITOT 1 */
        .cpus = CPUS,         /* PITOT 3 */
    };

    refused(pitot_init(&kernel));
}

void record_begin(const char *options)
{
    refused(pitot_start(options));
    if (gdb_begin)            /* PITOT 5 */
        refused(gdb_begin()); /* PITOT 5 */
    PITOT_MARK("begin", ticks);
}

void record_end(void)
{
    say_number(pitot_stop());
    say(" records\n");
    say_number(pitot_doubtful());
    say(" doubtful hits\n");
    if (pitot_incomplete()) {
        say("incomplete: ");
        say(pitot_incomplete());
        say("\n");
    }
}
