/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The 16550 UART at an I/O port (National Semiconductor, "PC16550D", 8.0 Registers): what
 * drivers/uart16550.c and arch/embed/serial.c share.
 */
#pragma once

#include "arch/x86_64/cpu/port.h"

/* Registers, as offsets from the port. */
#define UART_DATA             0
#define UART_DIVISOR_LOW      0 /* with UART_LINE_CONTROL_DIVISOR */
#define UART_DIVISOR_HIGH     1
#define UART_INTERRUPT_ENABLE 1
#define UART_INTERRUPT_ID     2 /* read */
#define UART_FIFO_CONTROL     2 /* written */
#define UART_LINE_CONTROL     3
#define UART_MODEM_CONTROL    4
#define UART_LINE_STATUS      5
#define UART_SCRATCH          7

#define UART_DIVISOR_115200       1
#define UART_LINE_CONTROL_8N1     0x03
#define UART_LINE_CONTROL_DIVISOR 0x80
#define UART_LINE_STATUS_RECEIVED 0x01
#define UART_LINE_STATUS_EMPTY    0x20 /* the transmit FIFO */

/* An absent port reads as all ones. */
static inline bool uart_is_there(uint16_t port)
{
    port_write8(port + UART_SCRATCH, 0x5a);
    if (port_read8(port + UART_SCRATCH) != 0x5a)
        return false;
    port_write8(port + UART_SCRATCH, 0xa5);
    return port_read8(port + UART_SCRATCH) == 0xa5;
}

/* 115200 baud, eight bits, no parity, no interrupts; `fifo` and `modem` go to their registers. */
static inline void uart_set_up(uint16_t port, uint8_t fifo, uint8_t modem)
{
    port_write8(port + UART_INTERRUPT_ENABLE, 0);
    port_write8(port + UART_LINE_CONTROL, UART_LINE_CONTROL_DIVISOR);
    port_write8(port + UART_DIVISOR_LOW, UART_DIVISOR_115200);
    port_write8(port + UART_DIVISOR_HIGH, 0);
    port_write8(port + UART_LINE_CONTROL, UART_LINE_CONTROL_8N1);
    port_write8(port + UART_FIFO_CONTROL, fifo);
    port_write8(port + UART_MODEM_CONTROL, modem);
}
