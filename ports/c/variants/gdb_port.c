/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The sample kernel gives functions where it leaves them to Pitot, and the other way round. Linked
 * in front of pitot_init (port.mk) for tests/boot/ports_gdb.t.
 */
#include "ports/c/kernel.h"

#include "pitot.h"

#define COM2 0x2f8
#define COM3 0x3e8

const char *__wrap_pitot_init(const struct pitot_kernel *kernel);
const char *__real_pitot_init(const struct pitot_kernel *kernel);

static void stream_write(const void *bytes, uint64_t length)
{
    serial_write(COM2, bytes, length);
}

const char *__wrap_pitot_init(const struct pitot_kernel *kernel)
{
    struct pitot_kernel with = *kernel;

    with.clock = cpu_cycles;
    with.write = stream_write;
    with.write_port = 0;
    with.gdb_get = 0;
    with.gdb_put = 0;
    with.gdb_port = COM3;
    return __real_pitot_init(&with);
}
