/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * PCI's configuration space, by the two ports that every PC has. For drivers of PCI devices.
 * Source: PCI Local Bus Specification 3.0, "Configuration Mechanism #1" and "Configuration Space".
 * Boot, one CPU.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct pci_device {
    uint8_t bus, device, function;
    uint16_t vendor, id;
};

/* The first device that `wanted` takes, in the order of buses as bridges lead to them. */
bool pci_find(bool (*wanted)(const struct pci_device *device), struct pci_device *found);

/* At an offset below 256, a multiple of the size. */
uint8_t pci_read8(const struct pci_device *device, unsigned offset);
uint16_t pci_read16(const struct pci_device *device, unsigned offset);
uint32_t pci_read32(const struct pci_device *device, unsigned offset);

/* Lets the device answer in memory, and read and write memory by itself. */
void pci_enable_memory(const struct pci_device *device);

/*
 * The offset of the next capability of this kind after the one at `after`, or the first if that is
 * 0. 0: there is none.
 */
unsigned pci_capability(const struct pci_device *device, uint8_t kind, unsigned after);

/* Where the firmware has put the memory of BAR 0 to 5; 0: nowhere, or it is no memory. */
uint64_t pci_memory(const struct pci_device *device, unsigned bar);
