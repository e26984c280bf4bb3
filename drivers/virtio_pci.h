/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The registers of a virtio device on PCI, and the negotiation between driver and device. Source:
 * Virtual I/O Device (VIRTIO) Version 1.1, "Virtio Over PCI Bus" and "Device Initialization". Boot;
 * virtio_pci_notify and virtio_pci_works in any context.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "drivers/pci.h"

struct virtio_pci_common; /* the registers common to all devices */

struct virtio_pci {
    struct pci_device device;
    volatile struct virtio_pci_common *common;
    uint64_t notify;        /* physical address of the doorbells */
    uint32_t notify_length; /* length of the doorbells in bytes */
    uint32_t notify_step;   /* bytes from one doorbell to the next */
};

/* A queue, its number, and the register that notifies the device of new buffers. */
struct virtio_queue;
struct virtio_line {
    struct virtio_queue *queue; /* in the kernel's image */
    uint16_t number;
    volatile uint16_t *doorbell;
};

/*
 * Finds a device by PCI ID: `id` for version 1, `old_id` for one that also supports earlier
 * versions. False: none.
 */
bool virtio_pci_find(struct virtio_pci *virtio, uint16_t id, uint16_t old_id);

/*
 * Resets the device and negotiates version 1 and the given device features, bits below 32. Returns
 * NULL, or why the device cannot be used: `lacking` if these features are missing.
 */
const char *virtio_pci_begin(struct virtio_pci *virtio, uint32_t features, const char *lacking);

/*
 * Gives the device the line's queue, which is polled, and finds its doorbell. Returns NULL, or why
 * that failed.
 */
const char *virtio_pci_set_queue(struct virtio_pci *virtio, struct virtio_line *line);

/* Starts the device. */
void virtio_pci_run(struct virtio_pci *virtio);

/* Notifies the device that a buffer was put into the line's queue. */
void virtio_pci_notify(const struct virtio_line *line);

/* False: the device reports that it has failed. */
bool virtio_pci_works(const struct virtio_pci *virtio);
