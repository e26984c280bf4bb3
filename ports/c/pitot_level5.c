/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Level 5, gdb, on its own serial line, which the timer's interrupt polls (cpu.c). gdb sees a fatal
 * trap first. This kernel waits for gdb before its work.
 */
#include "ports/c/kernel.h"

#include "pitot.h"

#define COM3       0x3e8
#define HAS_A_BYTE 1

int gdb_get(void)
{
    return port_read(COM3 + 5) & HAS_A_BYTE ? port_read(COM3) : -1;
}

void gdb_put(uint8_t byte)
{
    serial_write(COM3, &byte, 1);
}

const char *gdb_begin(void)
{
    const char *wrong = pitot_gdb_start();

    if (wrong)
        return wrong;
    say("gdb may come\n");
    return pitot_gdb_wait();
}
