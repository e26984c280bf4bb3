/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A 16550 serial port at 115200 baud, 8N1. Transmit is polled, so that crash paths can use it;
 * receive is by interrupt. Source: National Semiconductor PC16550D data sheet.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct uart {
    uint16_t port;
    bool present;
    bool patient;  /* gdb reads it: uart_limit_waits is not for this one */
    size_t chunk;  /* bytes that may be sent once it is empty: 16, or 1 without FIFOs */
    uint64_t sent; /* bytes that the device has taken; exact in a report, too (port_counted.h) */
    uint64_t lost; /* bytes that a dying machine has given up since its reader was gone */
    bool text;     /* what is lost can be said to a reader who comes back; set after uart_init */
};

#define UART_COM1 0x3f8
#define UART_COM2 0x2f8

#define UART_COM3 0x3e8

#define UART_COM1_LINE 4
#define UART_COM3_LINE 5 /* of its own: COM1 has 4, COM2 has 3 */

/*
 * Programs divisor, format and FIFOs. False where no 16550 answers: sending is then a no-op. Boot.
 */
bool uart_init(struct uart *uart, uint16_t port);

/*
 * Sends, waiting for room for as long as it takes: the reader at the other end may pause. After
 * uart_limit_waits a reader that takes nothing for ten seconds counts as gone: what is sent then is
 * lost, and if it takes text and comes back, a line says how many bytes were. Any context.
 */
void uart_send(struct uart *uart, const char *bytes, size_t length);

/* What is sent next, up to 16 bytes, is taken at once where there are FIFOs. Any context. */
bool uart_ready(struct uart *uart);

/* The machine is dying: from now on no wait is for ever. Any context. */
void uart_limit_waits(void);

/* Waits until the last byte is on the wire: before the power goes. Any context. */
void uart_drain(struct uart *uart);

/*
 * From now on `byte` is called for each byte received, in interrupt context. When it returns false
 * the port stops listening until uart_resume: flow control, or the emulator, then holds further
 * bytes back. One port only.
 */
void uart_listen(struct uart *uart, unsigned line, bool (*byte)(uint8_t));
void uart_resume(void);

/* A byte that has come, -1 if none has. Any context; with its interrupts off, or in their handler.
 */
int uart_poll(struct uart *uart);

/* Whether bytes that come raise the port's line. Any context. */
void uart_interrupts(struct uart *uart, bool on);
