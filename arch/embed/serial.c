/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a kernel on a PC need not write for Pitot: serial lines by 16550 at the I/O ports that it
 * names, 115200 baud, and the time stamp counter as a clock. Bytes wait for room as long as it
 * takes. Contexts: struct pitot_kernel; arch_embed_give at boot.
 */
#include "arch/embed.h"
#include "arch/x86_64/cpu/port.h"
#include "core/host.h"

/* Registers, as offsets from the port. */
#define DATA             0
#define DIVISOR_LOW      0 /* with LINE_CONTROL_DIVISOR */
#define DIVISOR_HIGH     1
#define INTERRUPT_ENABLE 1
#define FIFO_CONTROL     2
#define LINE_CONTROL     3
#define MODEM_CONTROL    4
#define LINE_STATUS      5
#define SCRATCH          7

#define DIVISOR_115200       1
#define FIFO_ON_AND_CLEAR    0x07
#define LINE_CONTROL_8N1     0x03
#define LINE_CONTROL_DIVISOR 0x80
#define MODEM_READY          0x03 /* without OUT2 a PC gets no interrupt, as the line is polled */
#define LINE_STATUS_RECEIVED 0x01
#define LINE_STATUS_EMPTY    0x20

/* An absent port reads as all ones. */
static bool is_there(uint16_t port)
{
    port_write8(port + SCRATCH, 0x5a);
    if (port_read8(port + SCRATCH) != 0x5a)
        return false;
    port_write8(port + SCRATCH, 0xa5);
    return port_read8(port + SCRATCH) == 0xa5;
}

static void line_init(uint16_t port)
{
    port_write8(port + INTERRUPT_ENABLE, 0);
    port_write8(port + LINE_CONTROL, LINE_CONTROL_DIVISOR);
    port_write8(port + DIVISOR_LOW, DIVISOR_115200);
    port_write8(port + DIVISOR_HIGH, 0);
    port_write8(port + LINE_CONTROL, LINE_CONTROL_8N1);
    port_write8(port + FIFO_CONTROL, FIFO_ON_AND_CLEAR);
    port_write8(port + MODEM_CONTROL, MODEM_READY);
}

static void send(uint16_t port, uint8_t byte)
{
    while (!(port_read8(port + LINE_STATUS) & LINE_STATUS_EMPTY))
        __asm__ volatile("pause");
    port_write8(port + DATA, byte);
}

static void stream_write(const void *bytes, unsigned long length)
{
    for (unsigned long i = 0; i < length; i++)
        send(host.write_port, ((const uint8_t *)bytes)[i]);
}

static int gdb_get(void)
{
    return port_read8(host.gdb_port + LINE_STATUS) & LINE_STATUS_RECEIVED
               ? port_read8(host.gdb_port + DATA)
               : -1;
}

static void gdb_put(unsigned char byte)
{
    send(host.gdb_port, byte);
}

static unsigned long clock(void)
{
    uint32_t low, high;

    __asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
    return (uint64_t)high << 32 | low;
}

const char *arch_embed_give(void)
{
    if (host.gdb_port && host.gdb_port == host.write_port)
        return "gdb_port of struct pitot_kernel is write_port, too: each needs a line of its own";
    if (!host.clock)
        host.clock = clock;
    if (!host.write) {
        if (!is_there(host.write_port))
            return "write_port of struct pitot_kernel: there is no 16550";
        line_init(host.write_port);
        host.write = stream_write;
    }
    if (host.gdb_port && !host.gdb_get && !host.gdb_put) {
        line_init(host.gdb_port); /* pitot_gdb_start notices that there is none */
        host.gdb_get = gdb_get;
        host.gdb_put = gdb_put;
    }
    return NULL;
}
