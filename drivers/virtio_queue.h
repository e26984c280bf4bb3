/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A queue between the kernel and a virtio device, in shared memory. Source: Virtual I/O Device
 * (VIRTIO) Version 1.1, "Split Virtqueues". For drivers/virtio_serial.c.
 */
#pragma once

#include <stdint.h>

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
