/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The registers of a virtio device on PCI, and how a driver and a device agree. Source: Virtual I/O
 * Device (VIRTIO) Version 1.1, "Virtio Over PCI Bus" and "Device Initialization". Boot;
 * virtio_pci_notify and virtio_pci_works in any context.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "drivers/pci.h"

struct virtio_pci_common; /* the registers that all devices have */

struct virtio_pci {
    struct pci_device device;
    volatile struct virtio_pci_common *common;
    uint64_t notify;        /* physical: where queues are told of, */
    uint32_t notify_length; /* ... so many bytes, */
    uint32_t notify_step;   /* ... so far from one to the next */
};

/* A queue, its number, and the register that is told when something is put into it. */
struct virtio_queue;
struct virtio_line {
    struct virtio_queue *queue; /* in the kernel's image */
    uint16_t number;
    volatile uint16_t *doorbell;
};

/* A device with one of these ids, of PCI: of version 1, and as it was before. False: none. */
bool virtio_pci_find(struct virtio_pci *virtio, uint16_t id, uint16_t old_id);

/*
 * Resets the device and agrees on version 1 and these of the device's own features, bits below 32.
 * NULL, or why it cannot be used; `lacking` if it is for want of these features.
 */
const char *virtio_pci_begin(struct virtio_pci *virtio, uint32_t features, const char *lacking);

/* Gives it the line's queue, which is polled, and finds its doorbell. NULL, or why not. */
const char *virtio_pci_set_queue(struct virtio_pci *virtio, struct virtio_line *line);

/* From here on it works. */
void virtio_pci_run(struct virtio_pci *virtio);

/* Something was put into the line's queue. */
void virtio_pci_notify(const struct virtio_line *line);

/* False: the device has given up, and says so. */
bool virtio_pci_works(const struct virtio_pci *virtio);
