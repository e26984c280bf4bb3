/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * `bench-ports`: the cost of a byte on the stream's port, and on port 0xE9. For `make bench`
 * (tests/bench/ports.pl), on machines whose stream carries no recording. Task context.
 */
#include "arch/cpu.h"
#include "arch/x86_64/cpu/port.h"
#include "core/console/command.h"
#include "core/lib/print.h"
#include "core/stream/drain.h"

#define PORT_E9 0xe9 /* boot/ports.c */

#define BYTES 131072u
#define PIECE 256u /* the length of a record */

static void port_e9_write(struct sink *sink, const char *bytes, size_t length)
{
    (void)sink;
    for (size_t i = 0; i < length; i++)
        port_write8(PORT_E9, (uint8_t)bytes[i]);
}

static void measure(const char *name, struct sink *sink)
{
    static const char piece[PIECE];
    uint64_t began = arch_clock_ns();

    for (unsigned sent = 0; sent < BYTES; sent += PIECE)
        sink->write(sink, piece, PIECE);
    print("bench-ports %s: %u bytes, %llu ns\n", name, BYTES,
          (unsigned long long)(arch_clock_ns() - began));
}

static int bench_ports_run(int argc, char **argv)
{
    static struct sink port_e9 = {port_e9_write};

    (void)argc;
    (void)argv;
    if (stream_port())
        measure("stream", stream_port()->sink);
    measure("debugcon", &port_e9);
    return 0;
}

PITOT_COMMAND_AS(bench_ports, "bench-ports", "",
                 "what a byte costs on the stream's port and on 0xE9", bench_ports_run, 0);
