/* SPDX-License-Identifier: BSD-2-Clause */
/* See uart16550.h. */
#include "drivers/uart16550.h"

#include "arch/arch.h"
#include "arch/x86_64/port.h"
#include "drivers/pic8259.h"

/* Registers, as offsets from the port. */
#define DATA             0
#define DIVISOR_LOW      0 /* with LINE_CONTROL_DIVISOR */
#define DIVISOR_HIGH     1
#define INTERRUPT_ENABLE 1
#define INTERRUPT_ID     2
#define FIFO_CONTROL     2
#define LINE_CONTROL     3
#define MODEM_CONTROL    4
#define LINE_STATUS      5
#define SCRATCH          7

#define INTERRUPT_RECEIVED   0x01
#define INTERRUPT_ID_NONE    0x01
#define INTERRUPT_ID_FIFOS   0xc0 /* there are FIFOs, and they work */
#define FIFO_ON_AND_CLEAR    0xc7 /* enabled, both cleared, interrupt at 14 bytes or on a pause */
#define LINE_CONTROL_8N1     0x03
#define LINE_CONTROL_DIVISOR 0x80
#define MODEM_READY          0x0b /* DTR, RTS, OUT2 (which lets the interrupt through on a PC) */
#define MODEM_HOLD           0x09 /* ... without RTS: the other side is to wait */
#define LINE_STATUS_RECEIVED 0x01
#define LINE_STATUS_EMPTY    0x20 /* the transmit FIFO */
#define LINE_STATUS_SENT     0x40 /* ... and the last byte has left */

#define DIVISOR_115200 1
#define FIFO_SIZE      16

/* 16 bytes take 1.4 ms at 115200 baud; a port read takes no less than 100 ns anywhere. */
#define SEND_PATIENCE 1000000u

static bool hurried;           /* crash paths: lose bytes rather than wait for ever */
static struct uart *listening; /* set with interrupts off */
static bool (*on_byte)(uint8_t);
/* a byte that was refused; only while receive interrupts are off */
static int held = -1;

/* An absent port reads as all ones. */
static bool uart_probe(uint16_t port)
{
    port_write8(port + SCRATCH, 0x5a);
    if (port_read8(port + SCRATCH) != 0x5a)
        return false;
    port_write8(port + SCRATCH, 0xa5);
    return port_read8(port + SCRATCH) == 0xa5;
}

bool uart_init(struct uart *uart, uint16_t port)
{
    *uart = (struct uart){.port = port, .present = uart_probe(port)};
    if (!uart->present)
        return false;
    port_write8(port + INTERRUPT_ENABLE, 0);
    port_write8(port + LINE_CONTROL, LINE_CONTROL_DIVISOR);
    port_write8(port + DIVISOR_LOW, DIVISOR_115200);
    port_write8(port + DIVISOR_HIGH, 0);
    port_write8(port + LINE_CONTROL, LINE_CONTROL_8N1);
    port_write8(port + FIFO_CONTROL, FIFO_ON_AND_CLEAR);
    port_write8(port + MODEM_CONTROL, MODEM_READY);
    uart->chunk = (port_read8(port + INTERRUPT_ID) & INTERRUPT_ID_FIFOS) == INTERRUPT_ID_FIFOS
                      ? FIFO_SIZE
                      : 1;
    return true;
}

static bool uart_wait_for(struct uart *uart, uint8_t status)
{
    for (unsigned patience = SEND_PATIENCE; patience > 0; patience--)
        if (port_read8(uart->port + LINE_STATUS) & status)
            return true;
    return false;
}

void uart_send(struct uart *uart, const char *bytes, size_t length)
{
    while (uart->present && length > 0) {
        size_t chunk = length < uart->chunk ? length : uart->chunk;

        while (!uart_wait_for(uart, LINE_STATUS_EMPTY))
            if (hurried && !uart->patient)
                return;
        for (size_t i = 0; i < chunk; i++) {
            port_write8(uart->port + DATA, (uint8_t)bytes[i]);
            local_increment(&uart->sent);
        }
        bytes += chunk;
        length -= chunk;
    }
}

bool uart_ready(struct uart *uart)
{
    return !uart->present || port_read8(uart->port + LINE_STATUS) & LINE_STATUS_EMPTY;
}

void uart_hurry(void)
{
    hurried = true;
}

void uart_drain(struct uart *uart)
{
    if (uart->present)
        uart_wait_for(uart, LINE_STATUS_SENT);
}

static void uart_interrupt(struct regs *regs)
{
    uint16_t port = listening->port;

    (void)regs;
    while (!(port_read8(port + INTERRUPT_ID) & INTERRUPT_ID_NONE) &&
           port_read8(port + LINE_STATUS) & LINE_STATUS_RECEIVED) {
        uint8_t byte = port_read8(port + DATA);

        if (!on_byte(byte)) {
            held = byte;
            port_write8(port + INTERRUPT_ENABLE, 0);
            port_write8(port + MODEM_CONTROL, MODEM_HOLD);
            return;
        }
    }
}

void uart_listen(struct uart *uart, unsigned line, bool (*byte)(uint8_t))
{
    listening = uart;
    on_byte = byte;
    pic_connect(line, uart_interrupt);
    port_write8(uart->port + INTERRUPT_ENABLE, INTERRUPT_RECEIVED);
}

void uart_resume(void)
{
    if (held >= 0 && !on_byte((uint8_t)held))
        return;
    held = -1;
    if (listening) {
        port_write8(listening->port + MODEM_CONTROL, MODEM_READY);
        port_write8(listening->port + INTERRUPT_ENABLE, INTERRUPT_RECEIVED);
    }
}

int uart_poll(struct uart *uart)
{
    if (!uart->present || !(port_read8(uart->port + LINE_STATUS) & LINE_STATUS_RECEIVED))
        return -1;
    return port_read8(uart->port + DATA);
}

void uart_interrupts(struct uart *uart, bool on)
{
    if (uart->present)
        port_write8(uart->port + INTERRUPT_ENABLE, on ? INTERRUPT_RECEIVED : 0);
}
