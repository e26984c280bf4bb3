/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A virtio serial port, for output in whole buffers: QEMU's `-device virtio-serial-pci -device
 * virtserialport,chardev=...`. Not a console, because QEMU drops what the reader of a virtconsole
 * does not take at once, but holds back a virtserialport. Source: Virtual I/O Device (VIRTIO)
 * Version 1.1, "Console Device". One per machine.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

bool virtio_serial_find(void);

/* Returns NULL, or why the port found cannot be used. Boot, with page tables and a clock. */
const char *virtio_serial_open(void);

/*
 * Sends, waiting for a free buffer as long as it takes. The device is gone if it reports that it
 * has failed or that its other end is closed, and, after virtio_serial_limit_waits, if it frees no
 * buffer for ten seconds. All further output is then lost: another reader would miss the beginning
 * of the stream. One writer at a time, or a crash that interrupts it. Any context.
 */
void virtio_serial_send(const char *bytes, size_t length);

/* Bytes given to the device; exact also after virtio_serial_limit_waits. */
extern uint64_t virtio_serial_sent;

/* True if the device is gone, so that all further output is lost. Any context. */
bool virtio_serial_gone(void);

/* Number of bytes lost, or not taken by the device. After virtio_serial_drain. Any context. */
uint64_t virtio_serial_lost(void);

/* Called when the machine is dying: bounds waits, and counts the buffer being sent. Any context. */
void virtio_serial_limit_waits(void);

/* Waits until the device has taken everything, before the power goes off. Any context. */
void virtio_serial_drain(void);
