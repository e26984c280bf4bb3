/* SPDX-License-Identifier: BSD-2-Clause */
/* See information.h. Copies everything it needs, so the loader's information is not reserved. */
#include "boot/information.h"

#define MEMORY_AVAILABLE 1

#define VERSION_WITH_MEMORY_MAP 1

struct start_info {
    uint32_t magic;
    uint32_t version;
    uint32_t flags;
    uint32_t module_count;
    uint64_t modules;      /* addresses are physical; 0: none */
    uint64_t command_line; /* NUL-terminated */
    uint64_t acpi_root;
    uint64_t memory_map; /* from version 1 on, like the fields below */
    uint32_t memory_map_count;
    uint32_t reserved;
} __attribute__((packed)); /* aligned only by convention */

#define START_INFO_OLD_SIZE offsetof(struct start_info, memory_map)

struct module {
    uint64_t start, size, command_line, reserved;
} __attribute__((packed));

struct memory_entry {
    uint64_t base, length;
    uint32_t type, reserved;
} __attribute__((packed));

_Static_assert(sizeof(struct start_info) == 56, "as start_info.h has it");
_Static_assert(sizeof(struct module) == 32, "as start_info.h has it");
_Static_assert(sizeof(struct memory_entry) == 24, "as start_info.h has it");

static void pvh_read_command_line(const struct start_info *info, acpi_reach *reach,
                                  struct boot_information *out)
{
    size_t length = 0;

    if (info->command_line == 0)
        return;
    while (length < BOOT_COMMAND_LINE && reach(info->command_line, length + 1))
        length++;
    if (length > 0)
        information_set_command_line(out, reach(info->command_line, length), length);
}

/* Reads the first module: QEMU's -initrd. */
static void pvh_read_module(const struct start_info *info, acpi_reach *reach,
                            struct boot_information *out)
{
    const struct module *module;
    uint64_t end;

    if (info->module_count == 0 || info->modules == 0)
        return;
    module = reach(info->modules, sizeof(*module));
    if (module && !__builtin_add_overflow(module->start, module->size, &end))
        information_add_module(out, module->start, end);
}

static const char *pvh_read_memory_map(const struct start_info *info, acpi_reach *reach,
                                       struct boot_information *out)
{
    const struct memory_entry *entries;

    if (info->version < VERSION_WITH_MEMORY_MAP || info->memory_map == 0)
        return "the boot loader passed no memory map (hvm_start_info of version 0)";
    entries = reach(info->memory_map, (size_t)info->memory_map_count * sizeof(*entries));
    if (!entries)
        return "the boot loader's memory map is out of reach";
    for (size_t i = 0; i < info->memory_map_count; i++)
        if (entries[i].type == MEMORY_AVAILABLE)
            information_add_memory(out, entries[i].base, entries[i].length);
    return NULL;
}

const char *pvh_read(uint32_t physical, acpi_reach *reach, struct boot_information *out)
{
    const struct start_info *info = reach(physical, START_INFO_OLD_SIZE);

    *out = (struct boot_information){0};
    if (!info || info->magic != PVH_MAGIC)
        return "the boot loader passed no hvm_start_info";
    if (info->version >= VERSION_WITH_MEMORY_MAP && !reach(physical, sizeof(*info)))
        return "the boot loader's hvm_start_info is out of reach";
    pvh_read_command_line(info, reach, out);
    pvh_read_module(info, reach, out);
    out->acpi_root_size = acpi_copy_root(info->acpi_root, reach, out->acpi_root);
    return pvh_read_memory_map(info, reach, out);
}
