/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A 16550 serial port at 115200 baud, 8N1. Sends by polling, for crash paths, and receives by
 * interrupt. Source: National Semiconductor PC16550D data sheet.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct uart {
    uint16_t port;
    bool present;
    bool patient;  /* gdb reads it: uart_limit_waits does not apply */
    size_t chunk;  /* bytes that fit when the transmitter is empty: 16, or 1 without FIFOs */
    uint64_t sent; /* bytes that the device has taken; exact also in a crash (port.h) */
    uint64_t lost; /* bytes dropped by a dying machine since its reader was gone */
    bool text;     /* the loss may be reported to a reader that returns; set after uart_init */
};

#define UART_COM1 0x3f8
#define UART_COM2 0x2f8
#define UART_COM3 0x3e8

#define UART_COM1_LINE 4
#define UART_COM3_LINE 5 /* not shared: COM1 has 4, COM2 has 3 */

/* Returns false if no 16550 answers; sending then does nothing. Boot. */
bool uart_init(struct uart *uart, uint16_t port);

/*
 * Sends, waiting for room as long as it takes, because the reader may pause. After
 * uart_limit_waits, a reader that takes nothing for ten seconds is gone, and further output is
 * lost; if the reader of a text port returns, a line reports how many bytes were
 * lost. Any context.
 */
void uart_send(struct uart *uart, const char *bytes, size_t length);

/* True if `chunk` bytes can be sent without waiting. Any context. */
bool uart_ready(struct uart *uart);

/* Called when the machine is dying: bounds every wait from now on. Any context. */
void uart_limit_waits(void);

/* Waits until the last byte is on the wire, before the power goes off. Any context. */
void uart_drain(struct uart *uart);

/*
 * Calls `byte` for each byte received, in interrupt context. If it returns false, the port stops
 * listening until uart_resume: flow control, or the emulator, holds further bytes back. One port
 * only.
 */
void uart_listen(struct uart *uart, unsigned line, bool (*byte)(uint8_t));
void uart_resume(void);

/*
 * Returns a received byte, or -1. Any context, with the port's interrupts off, or in their handler.
 */
int uart_poll(struct uart *uart);

/* Sets whether received bytes raise the port's interrupt line. Any context. */
void uart_interrupts(struct uart *uart, bool on);
