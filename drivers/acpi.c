/* SPDX-License-Identifier: BSD-2-Clause */
/* See acpi.h. No length or address in the firmware's tables is trusted before it is validated. */
#include "drivers/acpi.h"

#include <stdbool.h>

#include "arch/x86_64/cpu/port.h"

#define TABLE_MOST 0x100000u /* bytes; real tables have a few hundred */

struct rsdp {
    char signature[8];
    uint8_t checksum;
    char oem[6];
    uint8_t revision;
    uint32_t rsdt;
    uint32_t length; /* from revision 2 on, like the fields below */
    uint64_t xsdt;
    uint8_t extended_checksum;
    uint8_t reserved[3];
} __attribute__((packed));

#define RSDP_OLD_SIZE 20
#define RSDP_ALIGN    16

_Static_assert(sizeof(struct rsdp) == ACPI_ROOT_SIZE, "as the specification has it");

/* "Finding the RSDP on IA-PC Systems" */
#define EBDA_SEGMENT 0x40e
#define EBDA_SEARCH  1024
#define ROM_START    0xe0000
#define ROM_END      0x100000

struct table {
    char signature[4];
    uint32_t length; /* including this header */
    uint8_t revision;
    uint8_t checksum;
    char oem[6], oem_table[8];
    uint32_t oem_revision, creator, creator_revision;
} __attribute__((packed));

struct madt {
    struct table table;
    uint32_t apic_address;
    uint32_t flags;
    /* entries follow */
} __attribute__((packed));

enum { MADT_CPU = 0, MADT_IO_APIC = 1, MADT_OVERRIDE = 2, MADT_ADDRESS = 5, MADT_X2CPU = 9 };

#define CPU_ENABLED 1u

/* Layouts of the entries that are read; an entry may be longer. */
struct madt_entry {
    uint8_t type, length;
    union {
        struct {
            uint8_t processor, apic_id;
            uint32_t flags;
        } __attribute__((packed)) cpu;
        struct {
            uint8_t id, reserved;
            uint32_t address, first;
        } __attribute__((packed)) io_apic;
        struct {
            uint8_t bus, source;
            uint32_t line;
            uint16_t flags;
        } __attribute__((packed)) override;
        struct {
            uint16_t reserved;
            uint64_t address;
        } __attribute__((packed)) address;
        struct {
            uint16_t reserved;
            uint32_t apic_id, flags, processor;
        } __attribute__((packed)) x2cpu;
    };
} __attribute__((packed));

struct hpet_table {
    struct table table;
    uint32_t block;
    uint8_t space, width, offset, access; /* "Generic Address Structure" */
    uint64_t address;
} __attribute__((packed));

/* The fields of ACPI 1.0; later versions are longer. */
struct fadt {
    struct table table;
    uint8_t before[40];
    uint32_t pm_timer_block;
    uint8_t between[11];
    uint8_t pm_timer_length;
} __attribute__((packed));

_Static_assert(offsetof(struct fadt, pm_timer_block) == 76, "as the specification has it");
_Static_assert(offsetof(struct fadt, pm_timer_length) == 91, "as the specification has it");

#define PM_TIMER_LENGTH 4

static bool acpi_sums_to_0(const void *bytes, size_t size)
{
    uint8_t sum = 0;

    for (size_t i = 0; i < size; i++)
        sum = (uint8_t)(sum + ((const uint8_t *)bytes)[i]);
    return sum == 0;
}

static bool acpi_is_root(const struct rsdp *rsdp)
{
    return rsdp && __builtin_memcmp(rsdp->signature, "RSD PTR ", 8) == 0 &&
           acpi_sums_to_0(rsdp, RSDP_OLD_SIZE);
}

/* Returns the RSDP's physical address, or 0. */
static uint64_t acpi_search_root(acpi_reach *reach, uint64_t start, uint64_t end)
{
    for (uint64_t at = start; at + RSDP_OLD_SIZE <= end; at += RSDP_ALIGN)
        if (acpi_is_root(reach(at, RSDP_OLD_SIZE)))
            return at;
    return 0;
}

static uint64_t acpi_find_root(acpi_reach *reach)
{
    const uint8_t *segment = reach(EBDA_SEGMENT, 2);
    uint64_t ebda = segment ? (uint64_t)(segment[0] | segment[1] << 8) << 4 : 0;
    uint64_t found = ebda ? acpi_search_root(reach, ebda, ebda + EBDA_SEARCH) : 0;

    return found ? found : acpi_search_root(reach, ROM_START, ROM_END);
}

size_t acpi_copy_root(uint64_t physical, acpi_reach *reach, void *root)
{
    uint64_t at = physical ? physical : acpi_find_root(reach);
    const struct rsdp *rsdp = at ? reach(at, RSDP_OLD_SIZE) : NULL;
    size_t size = RSDP_OLD_SIZE;

    if (!rsdp)
        return 0;
    if (rsdp->revision >= 2 && reach(at, sizeof(*rsdp)))
        size = sizeof(*rsdp);
    __builtin_memcpy(root, rsdp, size);
    return size;
}

/* Returns NULL if the table is unreachable or damaged. */
static const struct table *acpi_table(acpi_reach *reach, uint64_t physical)
{
    const struct table *table = physical ? reach(physical, sizeof(*table)) : NULL;

    if (!table || table->length < sizeof(*table) || table->length > TABLE_MOST)
        return NULL;
    table = reach(physical, table->length);
    return table && acpi_sums_to_0(table, table->length) ? table : NULL;
}

/* Returns the XSDT, which has 64-bit addresses, or the RSDT, which has 32-bit addresses. */
static const struct table *acpi_root(const struct rsdp *rsdp, size_t size, acpi_reach *reach,
                                     size_t *entry_size)
{
    const struct table *xsdt = NULL;

    if (rsdp->revision >= 2 && size >= sizeof(*rsdp))
        xsdt = acpi_table(reach, rsdp->xsdt);
    *entry_size = xsdt ? sizeof(uint64_t) : sizeof(uint32_t);
    return xsdt ? xsdt : acpi_table(reach, rsdp->rsdt);
}

static const struct table *acpi_find(const struct table *root, size_t entry_size, acpi_reach *reach,
                                     const char *name)
{
    const uint8_t *at = (const uint8_t *)(root + 1);
    const uint8_t *end = (const uint8_t *)root + root->length;

    for (; at + entry_size <= end; at += entry_size) {
        uint64_t address = 0;
        const struct table *table;

        for (size_t i = entry_size; i-- > 0;)
            address = address << 8 | at[i];
        table = acpi_table(reach, address);
        if (table && __builtin_memcmp(table->signature, name, sizeof(table->signature)) == 0)
            return table;
    }
    return NULL;
}

static void acpi_add_cpu(struct acpi *out, uint32_t apic_id, uint32_t flags)
{
    if (!(flags & CPU_ENABLED))
        return;
    for (size_t i = 0; i < out->cpu_count; i++) /* a CPU may be listed by several entries */
        if (out->apic_ids[i] == apic_id)
            return;
    if (out->cpu_count == ARCH_CPUS_MAX || apic_id >= 0xff)
        out->cpus_ignored++;
    else
        out->apic_ids[out->cpu_count++] = apic_id;
}

static void acpi_read_entry(const struct madt_entry *entry, struct acpi *out)
{
    size_t body = entry->length - offsetof(struct madt_entry, cpu);

    if (entry->type == MADT_CPU && body >= sizeof(entry->cpu))
        acpi_add_cpu(out, entry->cpu.apic_id, entry->cpu.flags);
    else if (entry->type == MADT_X2CPU && body >= sizeof(entry->x2cpu))
        acpi_add_cpu(out, entry->x2cpu.apic_id, entry->x2cpu.flags);
    else if (entry->type == MADT_ADDRESS && body >= sizeof(entry->address))
        out->apic_address = entry->address.address;
    else if (entry->type == MADT_OVERRIDE && body >= sizeof(entry->override) &&
             entry->override.source == 0)
        out->timer_line = entry->override.line;
    else if (entry->type == MADT_IO_APIC && body >= sizeof(entry->io_apic) &&
             out->io_apic_count < ACPI_IO_APICS_MAX)
        out->io_apics[out->io_apic_count++] =
            (struct acpi_io_apic){entry->io_apic.address, entry->io_apic.first};
}

static void acpi_read_madt(const struct madt *madt, struct acpi *out)
{
    const uint8_t *at = (const uint8_t *)(madt + 1);
    const uint8_t *end = (const uint8_t *)madt + madt->table.length;

    out->apic_address = madt->apic_address;
    while (at + offsetof(struct madt_entry, cpu) <= end) {
        const struct madt_entry *entry = (const struct madt_entry *)at;

        if (entry->length < offsetof(struct madt_entry, cpu) || at + entry->length > end)
            break;
        acpi_read_entry(entry, out);
        at += entry->length;
    }
}

static void acpi_read_timers(const struct table *root, size_t entry_size, acpi_reach *reach,
                             struct acpi *out)
{
    const struct table *hpet = acpi_find(root, entry_size, reach, "HPET");
    const struct table *found = acpi_find(root, entry_size, reach, "FACP");
    const struct fadt *fadt = (const struct fadt *)found;

    if (hpet && hpet->length >= sizeof(struct hpet_table))
        out->hpet_address = ((const struct hpet_table *)hpet)->address;
    if (found && found->length >= sizeof(*fadt) && fadt->pm_timer_length == PM_TIMER_LENGTH &&
        fadt->pm_timer_block <= UINT16_MAX)
        out->pm_timer_port = (uint16_t)fadt->pm_timer_block;
}

static const char *acpi_read_tables(const struct rsdp *rsdp, size_t size, acpi_reach *reach,
                                    struct acpi *out)
{
    size_t entry_size;
    const struct table *root, *madt;

    if (size < RSDP_OLD_SIZE)
        return "the boot loader passed no ACPI root pointer";
    if (!acpi_is_root(rsdp))
        return "the ACPI root pointer is damaged";
    root = acpi_root(rsdp, size, reach, &entry_size);
    if (!root)
        return "ACPI's root table is damaged, or out of reach";
    acpi_read_timers(root, entry_size, reach, out);
    madt = acpi_find(root, entry_size, reach, "APIC");
    if (!madt || madt->length < sizeof(struct madt))
        return "ACPI has no table of interrupt controllers (MADT)";
    acpi_read_madt((const struct madt *)madt, out);
    return out->cpu_count > 0 ? NULL : "ACPI's table of interrupt controllers names no CPU";
}

void acpi_read(const void *root, size_t size, acpi_reach *reach, struct acpi *out)
{
    *out = (struct acpi){0};
    out->problem = acpi_read_tables(root, size, reach, out);
}

/* --- The power management timer. --- */

static uint16_t timer_port; /* set at boot */

void pm_timer_init(uint16_t port)
{
    timer_port = port;
}

uint32_t pm_timer_count(void)
{
    return port_read32(timer_port);
}
