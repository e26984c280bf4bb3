/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a kernel on a PC need not write for Pitot: serial lines by 16550 at the I/O ports that it
 * names, 115200 baud, and the time stamp counter as a clock. Bytes wait for room as long as it
 * takes. Contexts: struct pitot_kernel; arch_embed_give at boot.
 */
#include "arch/embed.h"
#include "arch/x86_64/cpu/uart.h"
#include "core/host.h"

#define FIFO_ON_AND_CLEAR 0x07
#define MODEM_READY       0x03 /* without OUT2 a PC gets no interrupt, as the line is polled */

static void send(uint16_t port, uint8_t byte)
{
    while (!(port_read8(port + UART_LINE_STATUS) & UART_LINE_STATUS_EMPTY))
        __asm__ volatile("pause");
    port_write8(port + UART_DATA, byte);
}

static void stream_write(const void *bytes, unsigned long length)
{
    for (unsigned long i = 0; i < length; i++)
        send(host.write_port, ((const uint8_t *)bytes)[i]);
}

static int gdb_get(void)
{
    return port_read8(host.gdb_port + UART_LINE_STATUS) & UART_LINE_STATUS_RECEIVED
               ? port_read8(host.gdb_port + UART_DATA)
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
        if (!uart_is_there(host.write_port))
            return "write_port of struct pitot_kernel: there is no 16550";
        uart_set_up(host.write_port, FIFO_ON_AND_CLEAR, MODEM_READY);
        host.write = stream_write;
    }
    if (host.gdb_port && !host.gdb_get && !host.gdb_put) {
        /* pitot_gdb_start notices if there is none. */
        uart_set_up(host.gdb_port, FIFO_ON_AND_CLEAR, MODEM_READY);
        host.gdb_get = gdb_get;
        host.gdb_put = gdb_put;
    }
    return NULL;
}
