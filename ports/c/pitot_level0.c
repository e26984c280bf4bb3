/* SPDX-License-Identifier: BSD-2-Clause */
/* Level 0, tracepoints: what Pitot needs, and a recording with the command line's options. */
#include "ports/c/kernel.h"

#include "pitot.h"

#define COM2 0x2f8

/* struct trap_frame, in Pitot's names. */
#define TRAP_FRAME                                                                                 \
    "r15 r14 r13 r12 r11 r10 r9 r8 bp di si dx cx bx ax - - ip cs flags sp ss" /* PITOT 1 */

__attribute__((noreturn)) static void panic(const char *what)
{
    say(what);
    say("\n");
    stop_machine(3);
}

static void refused(const char *why)
{
    if (why) {
        say("refused: ");
        panic(why);
    }
}

void pitot_prepare(void)
{
    static const struct pitot_kernel kernel = {
        .text = text_start,
        .text_end = text_end,
        .name = "boot",
        .write_port = COM2,
        .panic = panic,
        .frame = TRAP_FRAME,            /* PITOT 1 */
        .gate = gate_start,             /* PITOT 1 */
        .gate_end = gate_end,           /* PITOT 1 */
        .stack = stack_find,            /* PITOT 1 */
        .mapped = is_mapped,            /* PITOT 2 */
        .debug_ist = 1,                 /* PITOT 2 */
        .cpus = CPUS,                   /* PITOT 3 */
        .cpu = cpu_number,              /* PITOT 3 */
        .interrupt_others = others_ask, /* PITOT 3 */
        .print = console_print,         /* PITOT 4 */
        .gdb_get = gdb_get,             /* PITOT 5 */
        .gdb_put = gdb_put,             /* PITOT 5 */
        .thread_start = thread_start,   /* PITOT 6 */
        .wait = thread_wait,            /* PITOT 6 */
        .wake = thread_wake,            /* PITOT 6 */
        .memory_kept = memory_kept,     /* PITOT 7 */
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
    pitot_stop();
    say(pitot_summary());
}
