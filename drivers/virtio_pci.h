/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The registers of a virtio device on PCI, its queues in memory, and the negotiation between driver
 * and device. Source: Virtual I/O Device (VIRTIO) Version 1.1, "Virtio Over PCI Bus", "Split
 * Virtqueues" and "Device Initialization". Boot; the last two functions in any context.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "drivers/pci.h"

#define VIRTIO_QUEUE_SIZE 16 /* buffers; a power of two */

struct virtio_queue {
    /* Written by the kernel. */
    _Alignas(16) struct virtio_descriptor {
        uint64_t address; /* physical */
        uint32_t length;
        uint16_t flags, next;
    } descriptor[VIRTIO_QUEUE_SIZE];
    /* Written by the kernel: the buffers for the device, and their number so far. */
    struct virtio_available {
        uint16_t flags;
        uint16_t index;
        uint16_t ring[VIRTIO_QUEUE_SIZE];
    } available;
    /* Written by the device: the buffers it has returned. */
    _Alignas(4) struct virtio_used {
        uint16_t flags;
        uint16_t index;
        struct virtio_used_buffer {
            uint32_t id, length;
        } ring[VIRTIO_QUEUE_SIZE];
    } used;
};

#define VIRTIO_DEVICE_WRITES 2 /* descriptor.flags */
#define VIRTIO_NO_INTERRUPT  1 /* available.flags: the used ring is polled */

_Static_assert(sizeof(struct virtio_descriptor) == 16, "as the device reads it");
_Static_assert(sizeof(struct virtio_used_buffer) == 8, "as the device writes it");

struct virtio_pci_common; /* the registers common to all devices */

struct virtio_pci {
    struct pci_device device;
    volatile struct virtio_pci_common *common;
    uint64_t notify;                     /* physical address of the doorbells */
    uint32_t notify_length, notify_step; /* bytes of all doorbells, and between two */
};

struct virtio_line {
    struct virtio_queue *queue; /* in the kernel's image */
    uint16_t number;
    volatile uint16_t *doorbell; /* notifies the device of new buffers */
};

/* Finds a device: `id` is for version 1, `old_id` for one that also supports earlier versions. */
bool virtio_pci_find(struct virtio_pci *virtio, uint16_t id, uint16_t old_id);

/*
 * Resets the device and negotiates version 1 and these features, bits below 32. Returns NULL, or
 * why the device cannot be used: `lacking` if the features are missing.
 */
const char *virtio_pci_begin(struct virtio_pci *virtio, uint32_t features, const char *lacking);

/* Gives the device a queue, to be polled, and finds its doorbell. Returns NULL, or what failed. */
const char *virtio_pci_set_queue(struct virtio_pci *virtio, struct virtio_line *line);

void virtio_pci_run(struct virtio_pci *virtio);

void virtio_pci_notify(const struct virtio_line *line);

/* Returns false if the device reports that it has failed. */
bool virtio_pci_works(const struct virtio_pci *virtio);
