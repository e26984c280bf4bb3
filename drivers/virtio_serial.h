/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A virtio serial port, for output: QEMU's `-device virtio-serial-pci -device
 * virtserialport,chardev=...`. The device takes whole buffers where a UART takes bytes one by one.
 * The first port that is no console is meant: QEMU drops what the reader of a virtconsole does not
 * take at once, and holds a virtserialport back. Source: Virtual I/O Device (VIRTIO) Version 1.1,
 * "Console Device". One for the machine.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum virtio_serial_state { VIRTIO_SERIAL_NONE, VIRTIO_SERIAL_REFUSED, VIRTIO_SERIAL_READY };

/* Finds one and opens it. Refused: *why says the reason. Boot, with page tables and a clock. */
enum virtio_serial_state virtio_serial_init(const char **why);

/*
 * Sends, waiting for a free buffer for as long as it takes. After virtio_serial_limit_waits a
 * device that frees none for ten seconds counts as gone, and so does at any time one that says that
 * it has failed, or that the reader at its other end has closed it: what is sent then is lost, even
 * if another reader comes, for which the stream would have no beginning. One writer at a time, or a
 * crash upon it. Any context.
 */
void virtio_serial_send(const char *bytes, size_t length);

/* Counts the bytes that the device was given; exact after virtio_serial_limit_waits, too. */
extern uint64_t virtio_serial_sent;

/* From here on all is lost that is sent. Any context. */
bool virtio_serial_gone(void);

/* So many bytes were lost, or not taken by the device. After virtio_serial_drain. Any context. */
uint64_t virtio_serial_lost(void);

/* The machine is dying: no wait is for ever, and what was under way is counted. Any context. */
void virtio_serial_limit_waits(void);

/* Waits until the device has taken all that it was given: before the power goes. Any context. */
void virtio_serial_drain(void);
