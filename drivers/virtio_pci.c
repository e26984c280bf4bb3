/* SPDX-License-Identifier: BSD-2-Clause */
/* See virtio_pci.h. */
#include "drivers/virtio_pci.h"

#include <stddef.h>

#include "arch/cpu.h"
#include "arch/memory.h"
#include "kernel/x86_64/memory/image.h"
#include "kernel/x86_64/memory/paging.h"

#define VENDOR 0x1af4

#define CAPABILITY_VENDOR 0x09 /* it has fields at these offsets */
#define CAPABILITY_KIND   3
#define CAPABILITY_BAR    4
#define CAPABILITY_OFFSET 8
#define CAPABILITY_LENGTH 12
#define CAPABILITY_STEP   16 /* of KIND_NOTIFY */

#define KIND_COMMON 1
#define KIND_NOTIFY 2

#define STATUS_FOUND       0x01
#define STATUS_DRIVEN      0x02
#define STATUS_RUNS        0x04
#define STATUS_AGREED      0x08
#define STATUS_NEEDS_RESET 0x40
#define STATUS_GIVEN_UP    0x80

#define FEATURES_VERSION_1 1u /* bit 32: bit 0 of the second word */

#define PHYSICAL_END ((uint64_t)1 << 52) /* end of the addresses in page table entries */

#define RESET_PATIENCE_NS 1000000000ull

struct virtio_pci_common {
    uint32_t device_feature_select, device_feature;
    uint32_t driver_feature_select, driver_feature;
    uint16_t config_vector, queues;
    uint8_t status, generation;
    uint16_t queue_select, queue_size, queue_vector, queue_enable, queue_notify_offset;
    uint32_t queue_descriptors[2], queue_available[2], queue_used[2]; /* low and high half */
};

_Static_assert(offsetof(struct virtio_pci_common, status) == 20 &&
                   offsetof(struct virtio_pci_common, queue_descriptors) == 32 &&
                   sizeof(struct virtio_pci_common) == 56,
               "as the device has them");

static uint16_t wanted_id, wanted_old_id;

static bool is_wanted(const struct pci_device *device)
{
    return device->vendor == VENDOR && (device->id == wanted_id || device->id == wanted_old_id);
}

bool virtio_pci_find(struct virtio_pci *virtio, uint16_t id, uint16_t old_id)
{
    wanted_id = id;
    wanted_old_id = old_id;
    *virtio = (struct virtio_pci){.common = NULL};
    return pci_find(is_wanted, &virtio->device);
}

/* Returns the offset of that capability; 0: there is none. */
static unsigned find_part(const struct pci_device *device, uint8_t kind)
{
    unsigned at = 0;

    while ((at = pci_capability(device, CAPABILITY_VENDOR, at)) != 0)
        if (pci_read8(device, at + CAPABILITY_KIND) == kind)
            return at;
    return 0;
}

/* Returns that part's physical address; 0 unless at least `size` bytes have one. */
static uint64_t part_address(const struct pci_device *device, unsigned capability, uint32_t size)
{
    uint64_t memory = pci_memory(device, pci_read8(device, capability + CAPABILITY_BAR));
    uint32_t offset = pci_read32(device, capability + CAPABILITY_OFFSET);
    uint32_t length = pci_read32(device, capability + CAPABILITY_LENGTH);

    if (memory == 0 || memory >= PHYSICAL_END || length < size ||
        (uint64_t)offset + length > PHYSICAL_END - memory)
        return 0;
    return memory + offset;
}

/* Returns NULL, or why the registers cannot be reached. */
static const char *map_parts(struct virtio_pci *virtio)
{
    const struct pci_device *device = &virtio->device;
    unsigned common = find_part(device, KIND_COMMON), notify = find_part(device, KIND_NOTIFY);
    uint64_t address;

    if (!common || !notify)
        return "it is older than version 1 of virtio";
    address = part_address(device, common, sizeof(*virtio->common));
    virtio->notify = part_address(device, notify, sizeof(uint16_t));
    if (!address || !virtio->notify)
        return "the firmware has assigned no address to its registers";
    if (address % PAGE_SIZE > PAGE_SIZE - sizeof(*virtio->common))
        return "its registers lie across two pages";
    virtio->notify_length = pci_read32(device, notify + CAPABILITY_LENGTH);
    virtio->notify_step = pci_read32(device, notify + CAPABILITY_STEP);
    virtio->common = paging_map_device(address);
    return virtio->common ? NULL : "there is no room to map its registers";
}

/* Returns false if the device does not come out of reset. */
static bool reset(volatile struct virtio_pci_common *common)
{
    uint64_t began = arch_clock_ns();

    common->status = 0;
    while (common->status != 0)
        if (arch_clock_ns() - began > RESET_PATIENCE_NS)
            return false;
    return true;
}

static const char *agree(volatile struct virtio_pci_common *common, uint32_t features,
                         const char *lacking)
{
    common->device_feature_select = 1;
    if (!(common->device_feature & FEATURES_VERSION_1))
        return "it does not offer version 1 of virtio";
    common->device_feature_select = 0;
    if ((common->device_feature & features) != features)
        return lacking;
    common->driver_feature_select = 0;
    common->driver_feature = features;
    common->driver_feature_select = 1;
    common->driver_feature = FEATURES_VERSION_1;
    common->status |= STATUS_AGREED;
    return common->status & STATUS_AGREED ? NULL : "it rejects the features that it has offered";
}

const char *virtio_pci_begin(struct virtio_pci *virtio, uint32_t features, const char *lacking)
{
    const char *problem = map_parts(virtio);

    if (problem)
        return problem;
    pci_enable_memory(&virtio->device);
    if (!reset(virtio->common))
        return "it does not finish its reset";
    virtio->common->status = STATUS_FOUND;
    virtio->common->status |= STATUS_DRIVEN;
    problem = agree(virtio->common, features, lacking);
    if (problem)
        virtio->common->status |= STATUS_GIVEN_UP;
    return problem;
}

static void set_address(volatile uint32_t *halves, const void *at)
{
    uint64_t physical = image_physical(at);

    halves[0] = (uint32_t)physical;
    halves[1] = (uint32_t)(physical >> 32);
}

const char *virtio_pci_set_queue(struct virtio_pci *virtio, struct virtio_line *line)
{
    volatile struct virtio_pci_common *common = virtio->common;
    struct virtio_queue *queue = line->queue;
    uint64_t doorbell;

    common->queue_select = line->number;
    if (common->queue_size < VIRTIO_QUEUE_SIZE)
        return "one of its queues is missing or too short";
    common->queue_size = VIRTIO_QUEUE_SIZE;
    set_address(common->queue_descriptors, queue->descriptor);
    set_address(common->queue_available, &queue->available);
    set_address(common->queue_used, &queue->used);
    queue->available.flags = VIRTIO_NO_INTERRUPT;
    doorbell = (uint64_t)common->queue_notify_offset * virtio->notify_step;
    if (doorbell % sizeof(*line->doorbell) != 0 ||
        doorbell + sizeof(*line->doorbell) > virtio->notify_length)
        return "one of its doorbells is outside its registers";
    line->doorbell = paging_map_device(virtio->notify + doorbell);
    if (!line->doorbell)
        return "there is no room to map its doorbell";
    common->queue_enable = 1;
    return NULL;
}

void virtio_pci_run(struct virtio_pci *virtio)
{
    virtio->common->status |= STATUS_RUNS;
}

void virtio_pci_notify(const struct virtio_line *line)
{
    *line->doorbell = line->number;
}

bool virtio_pci_works(const struct virtio_pci *virtio)
{
    return !(virtio->common->status & (STATUS_NEEDS_RESET | STATUS_GIVEN_UP));
}
