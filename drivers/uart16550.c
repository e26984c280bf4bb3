/* SPDX-License-Identifier: BSD-2-Clause */
/* See uart16550.h. */
#include "drivers/uart16550.h"

#include "arch/cpu.h"
#include "arch/regs.h"
#include "arch/x86_64/cpu/uart.h"
#include "drivers/pic8259.h"

#define INTERRUPT_RECEIVED 0x01
#define INTERRUPT_ID_NONE  0x01
#define INTERRUPT_ID_FIFOS 0xc0 /* there are FIFOs, and they work */
#define FIFO_ON_AND_CLEAR  0xc7 /* enabled, both cleared, interrupt at 14 bytes or on a pause */
#define MODEM_READY        0x0b /* DTR, RTS, OUT2 (without it, a PC gets no interrupt) */
#define MODEM_HOLD         0x09 /* without RTS: the other side must wait */
#define LINE_STATUS_SENT   0x40 /* transmit FIFO empty, and the last byte has left */

#define FIFO_SIZE 16

#define SEND_PATIENCE 1000000u /* polls, each at least 100 ns; a full FIFO leaves in 1.4 ms */

/*
 * A reader that takes nothing for this long is gone. The clock measures this, because the duration
 * of a read depends on the emulator; before the clock runs, rounds of SEND_PATIENCE are counted.
 */
#define READER_PATIENCE_NS     10000000000ull
#define READER_PATIENCE_ROUNDS 10

static bool hurried;           /* set in a crash: lose bytes rather than wait forever */
static struct uart *listening; /* set with interrupts off */
static bool (*on_byte)(uint8_t);
static int held = -1; /* a byte that was refused; set while receive interrupts are off */

bool uart_init(struct uart *uart, uint16_t port)
{
    *uart = (struct uart){.port = port, .present = uart_is_there(port)};
    if (!uart->present)
        return false;
    uart_set_up(port, FIFO_ON_AND_CLEAR, MODEM_READY);
    uart->chunk = (port_read8(port + UART_INTERRUPT_ID) & INTERRUPT_ID_FIFOS) == INTERRUPT_ID_FIFOS
                      ? FIFO_SIZE
                      : 1;
    return true;
}

static bool uart_wait_for(struct uart *uart, uint8_t status)
{
    for (unsigned patience = SEND_PATIENCE; patience > 0; patience--)
        if (port_read8(uart->port + UART_LINE_STATUS) & status)
            return true;
    return false;
}

/* Returns false if the reader is gone. */
static bool uart_wait_to_send(struct uart *uart)
{
    uint64_t began = arch_clock_ns();

    for (unsigned round = 1; !uart_wait_for(uart, UART_LINE_STATUS_EMPTY); round++) {
        uint64_t waited = arch_clock_ns() - began;

        if (hurried && !uart->patient && round >= READER_PATIENCE_ROUNDS &&
            (waited == 0 || waited >= READER_PATIENCE_NS))
            return false;
    }
    return true;
}

/* The transmit FIFO must be empty. */
static size_t uart_fill(struct uart *uart, const char *bytes, size_t length)
{
    size_t chunk = length < uart->chunk ? length : uart->chunk;
    uint64_t flags = arch_irq_save();

    for (size_t i = 0; i < chunk; i++)
        port_write8_counted(uart->port + UART_DATA, (uint8_t)bytes[i], &uart->sent);
    arch_irq_restore(flags);
    return chunk;
}

/* Reports the loss to a reader that is back, on a line that no decoder of base64 takes for data. */
static void uart_tell_lost(struct uart *uart)
{
    static const char reason[] = " bytes lost: nobody read]\n";
    char text[64], *at = text + sizeof(text);
    uint64_t lost = uart->lost;

    for (size_t i = sizeof(reason) - 1; i > 0; i--)
        *--at = reason[i - 1];
    for (; lost > 0; lost /= 10)
        *--at = (char)('0' + lost % 10);
    *--at = '[';
    *--at = '\n';
    uart->lost = 0;
    uart_send(uart, at, (size_t)(text + sizeof(text) - at));
}

void uart_send(struct uart *uart, const char *bytes, size_t length)
{
    if (uart->lost > 0 && uart->text && uart_ready(uart))
        uart_tell_lost(uart);
    while (uart->present && length > 0) {
        size_t sent;

        if (uart->lost > 0 || !uart_wait_to_send(uart)) {
            uart->lost += length;
            return;
        }
        sent = uart_fill(uart, bytes, length);
        bytes += sent;
        length -= sent;
    }
}

bool uart_ready(struct uart *uart)
{
    return !uart->present || port_read8(uart->port + UART_LINE_STATUS) & UART_LINE_STATUS_EMPTY;
}

void uart_limit_waits(void)
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
    while (!(port_read8(port + UART_INTERRUPT_ID) & INTERRUPT_ID_NONE) &&
           port_read8(port + UART_LINE_STATUS) & UART_LINE_STATUS_RECEIVED) {
        uint8_t byte = port_read8(port + UART_DATA);

        if (!on_byte(byte)) {
            held = byte;
            port_write8(port + UART_INTERRUPT_ENABLE, 0);
            port_write8(port + UART_MODEM_CONTROL, MODEM_HOLD);
            return;
        }
    }
}

void uart_listen(struct uart *uart, unsigned line, bool (*byte)(uint8_t))
{
    listening = uart;
    on_byte = byte;
    pic_connect(line, "serial", uart_interrupt);
    port_write8(uart->port + UART_INTERRUPT_ENABLE, INTERRUPT_RECEIVED);
}

void uart_resume(void)
{
    if (held >= 0 && !on_byte((uint8_t)held))
        return;
    held = -1;
    if (listening) {
        port_write8(listening->port + UART_MODEM_CONTROL, MODEM_READY);
        port_write8(listening->port + UART_INTERRUPT_ENABLE, INTERRUPT_RECEIVED);
    }
}

int uart_poll(struct uart *uart)
{
    if (!uart->present || !(port_read8(uart->port + UART_LINE_STATUS) & UART_LINE_STATUS_RECEIVED))
        return -1;
    return port_read8(uart->port + UART_DATA);
}

void uart_interrupts(struct uart *uart, bool on)
{
    if (uart->present)
        port_write8(uart->port + UART_INTERRUPT_ENABLE, on ? INTERRUPT_RECEIVED : 0);
}
