/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A virtio serial port, for output: QEMU's `-device virtio-serial-pci -device
 * virtserialport,chardev=...`. The device takes whole buffers; a UART takes single bytes. The first
 * port that is not a console is used: QEMU drops what the reader of a virtconsole does not take at
 * once, but holds back a virtserialport. Source: Virtual I/O Device (VIRTIO) Version 1.1, "Console
 * Device". One per machine.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum virtio_serial_state { VIRTIO_SERIAL_NONE, VIRTIO_SERIAL_REFUSED, VIRTIO_SERIAL_READY };

/*
 * Finds the port and opens it. If it is refused, *why gives the reason. Boot, with page tables and
 * a clock.
 */
enum virtio_serial_state virtio_serial_init(const char **why);

/*
 * Sends, waiting for a free buffer as long as it takes. The device counts as gone if it reports
 * that it has failed or that the reader has closed the other end, and, after
 * virtio_serial_limit_waits, if it frees no buffer for ten seconds. All further output is then
 * lost, even if another reader comes, because that reader would miss the beginning of the stream.
 * One writer at a time, or a crash that interrupts it. Any context.
 */
void virtio_serial_send(const char *bytes, size_t length);

/* Number of bytes given to the device; also exact after virtio_serial_limit_waits. */
extern uint64_t virtio_serial_sent;

/* True if the device is gone: all further output is lost. Any context. */
bool virtio_serial_gone(void);

/* Number of bytes lost, or not taken by the device. After virtio_serial_drain. Any context. */
uint64_t virtio_serial_lost(void);

/* The machine is dying: bounds every wait, and counts the buffer being sent. Any context. */
void virtio_serial_limit_waits(void);

/*
 * Waits until the device has taken everything it was given, before the power goes off. Any context.
 */
void virtio_serial_drain(void);
