/* SPDX-License-Identifier: BSD-2-Clause */
/* See io_apic.h. */
#include "boot/io_apic.h"

#include "boot/cpus.h"
#include "drivers/acpi.h"
#include "drivers/ioapic.h"
#include "kernel/x86_64/memory/paging.h"

static volatile void *mapped[ACPI_IO_APICS_MAX]; /* registers */

bool io_apic_find(unsigned line, struct io_apic_line *found)
{
    const struct acpi *acpi = cpus_acpi();

    for (size_t i = 0; i < acpi->io_apic_count; i++) {
        uint32_t first = acpi->io_apics[i].first;

        if (!mapped[i])
            mapped[i] = paging_map_device(acpi->io_apics[i].address);
        if (mapped[i] && line >= first && line - first < ioapic_lines(mapped[i])) {
            *found = (struct io_apic_line){mapped[i], line - first};
            return true;
        }
    }
    return false;
}
