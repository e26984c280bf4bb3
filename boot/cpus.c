/* SPDX-License-Identifier: BSD-2-Clause */
/* See boot.h. */
#include "boot/boot.h"

#include "arch/x86_64/cpu/cpu.h"
#include "core/lib/print.h"
#include "drivers/acpi.h"
#include "kernel/x86_64/cpu/apic.h"
#include "kernel/x86_64/cpu/percpu.h"
#include "kernel/x86_64/memory/paging.h"
#include "kernel/x86_64/smp.h"

static struct acpi acpi;

void cpus_read(const struct boot_information *information)
{
    acpi_read(information->acpi_root, information->acpi_root_size, memory_reach, &acpi);
    if (information->low_page)
        smp_place(information->low_page);
}

#define CPUID_APIC (1u << 9) /* CPUID.01H:EDX */

static const char *problem(const struct boot_information *information)
{
    if (!(cpu_id(1, 0).edx & CPUID_APIC))
        return "this CPU has no local APIC";
    if (acpi.problem)
        return acpi.problem;
    if (acpi.cpu_count > 1 && information->low_page == 0)
        return "no free memory below 1 MiB, where other CPUs start";
    return NULL;
}

const struct acpi *cpus_acpi(void)
{
    return &acpi;
}

void cpus_find(const struct boot_information *information)
{
    uint32_t others[ARCH_CPUS_MAX];
    size_t count = 0;

    if (problem(information)) {
        print("Pitot: one CPU only: %s\n", problem(information));
        return;
    }
    apic_init(paging_map_device(acpi.apic_address));
    apic_enable(true);
    percpu[0].apic_id = apic_id();
    for (size_t i = 0; i < acpi.cpu_count; i++)
        if (acpi.apic_ids[i] != percpu[0].apic_id)
            others[count++] = acpi.apic_ids[i];
    if (count > 0)
        smp_init(others, count < ARCH_CPUS_MAX ? count : ARCH_CPUS_MAX - 1);
    if (acpi.cpus_ignored > 0)
        print("Pitot: %zu CPUs are ignored: at most %u can run, with APIC numbers up to 254\n",
              acpi.cpus_ignored, ARCH_CPUS_MAX);
}
