/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * PCI's configuration space, through the two ports that every PC has. Source: PCI Local Bus
 * Specification 3.0, "Configuration Mechanism #1" and "Configuration Space". Boot, one CPU.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct pci_device {
    uint8_t bus, device, function;
    uint16_t vendor, id;
};

/* Finds the first device that `wanted` accepts, following bridges depth first. */
bool pci_find(bool (*wanted)(const struct pci_device *device), struct pci_device *found);

/* Reads at an offset below 256, a multiple of the size. */
uint8_t pci_read8(const struct pci_device *device, unsigned offset);
uint16_t pci_read16(const struct pci_device *device, unsigned offset);
uint32_t pci_read32(const struct pci_device *device, unsigned offset);

/* Lets the device respond to memory accesses, and act as bus master. */
void pci_enable_memory(const struct pci_device *device);

/*
 * Returns the offset of the next capability of this kind after the one at `after`, or of the first
 * if `after` is 0. Returns 0 if there is none.
 */
unsigned pci_capability(const struct pci_device *device, uint8_t kind, unsigned after);

/* Returns the physical address that firmware gave the memory of BAR 0 to 5; 0 if there is none. */
uint64_t pci_memory(const struct pci_device *device, unsigned bar);
