/* SPDX-License-Identifier: BSD-2-Clause */
/* See pci.h. */
#include "drivers/pci.h"

#include "arch/x86_64/cpu/port.h"

#define ADDRESS_PORT 0xcf8
#define DATA_PORT    0xcfc
#define ENABLE       0x80000000u

#define ID            0x00
#define COMMAND       0x04
#define STATUS        0x06
#define HEADER_TYPE   0x0e
#define BARS          0x10
#define SECONDARY_BUS 0x19 /* of a bridge */
#define CAPABILITIES  0x34

#define COMMAND_MEMORY      0x0002
#define COMMAND_MASTER      0x0004
#define STATUS_CAPABILITIES 0x0010
#define HEADER_MULTIPLE     0x80 /* multiple functions */
#define HEADER_BRIDGE       0x01
#define BAR_PORTS           0x1
#define BAR_64_BIT          0x4

#define DEVICES          32
#define FUNCTIONS        8
#define BRIDGES_DEEP     8  /* levels of bridges that are followed */
#define CAPABILITIES_MAX 48 /* a longer list is circular */

static void select(const struct pci_device *device, unsigned offset)
{
    port_write32(ADDRESS_PORT, ENABLE | (uint32_t)device->bus << 16 |
                                   (uint32_t)device->device << 11 |
                                   (uint32_t)device->function << 8 | (offset & 0xfc));
}

uint32_t pci_read32(const struct pci_device *device, unsigned offset)
{
    select(device, offset);
    return port_read32(DATA_PORT);
}

uint16_t pci_read16(const struct pci_device *device, unsigned offset)
{
    return (uint16_t)(pci_read32(device, offset) >> offset % 4 * 8);
}

uint8_t pci_read8(const struct pci_device *device, unsigned offset)
{
    return (uint8_t)(pci_read32(device, offset) >> offset % 4 * 8);
}

/* Returns false if no device answers: the read then gives all ones. */
static bool pci_identify(struct pci_device *device)
{
    uint32_t id = pci_read32(device, ID);

    device->vendor = (uint16_t)id;
    device->id = (uint16_t)(id >> 16);
    return device->vendor != 0xffff;
}

static bool pci_find_on(uint8_t bus, unsigned depth,
                        bool (*wanted)(const struct pci_device *device), struct pci_device *found)
{
    for (unsigned place = 0; place < DEVICES * FUNCTIONS; place++) {
        struct pci_device device = {.bus = bus,
                                    .device = (uint8_t)(place / FUNCTIONS),
                                    .function = (uint8_t)(place % FUNCTIONS)};
        uint8_t header;

        if (!pci_identify(&device)) {
            if (device.function == 0)
                place += FUNCTIONS - 1;
            continue;
        }
        if (wanted(&device)) {
            *found = device;
            return true;
        }
        header = pci_read8(&device, HEADER_TYPE);
        if ((header & ~HEADER_MULTIPLE) == HEADER_BRIDGE && depth < BRIDGES_DEEP &&
            pci_read8(&device, SECONDARY_BUS) > bus &&
            pci_find_on(pci_read8(&device, SECONDARY_BUS), depth + 1, wanted, found))
            return true;
        if (device.function == 0 && !(header & HEADER_MULTIPLE))
            place += FUNCTIONS - 1;
    }
    return false;
}

bool pci_find(bool (*wanted)(const struct pci_device *device), struct pci_device *found)
{
    return pci_find_on(0, 0, wanted, found);
}

void pci_enable_memory(const struct pci_device *device)
{
    uint16_t command = pci_read16(device, COMMAND);

    select(device, COMMAND);
    port_write16(DATA_PORT, command | COMMAND_MEMORY | COMMAND_MASTER);
}

unsigned pci_capability(const struct pci_device *device, uint8_t kind, unsigned after)
{
    unsigned at = after ? after + 1u : CAPABILITIES;

    if (!(pci_read16(device, STATUS) & STATUS_CAPABILITIES))
        return 0;
    for (unsigned i = 0; i < CAPABILITIES_MAX; i++) {
        unsigned next = pci_read8(device, at) & 0xfcu;

        if (next == 0 || pci_read8(device, next) == kind)
            return next;
        at = next + 1;
    }
    return 0;
}

uint64_t pci_memory(const struct pci_device *device, unsigned bar)
{
    uint32_t low = bar < 6 ? pci_read32(device, BARS + 4 * bar) : BAR_PORTS;
    uint64_t high = 0;

    if (low & BAR_PORTS)
        return 0;
    if (low & BAR_64_BIT)
        high = bar < 5 ? pci_read32(device, BARS + 4 * bar + 4) : 0;
    return high << 32 | (low & ~0xfu);
}
