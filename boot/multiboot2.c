/* SPDX-License-Identifier: BSD-2-Clause */
/* See multiboot2.h. Runs on the boot loader's mapping, interrupts off. */
#include "boot/multiboot2.h"

#include "arch/x86_64/sections.h"
#include "core/string.h"

enum {
    TAG_END = 0,
    TAG_COMMAND_LINE = 1,
    TAG_MODULE = 3,
    TAG_MEMORY_MAP = 6,
    TAG_ACPI_OLD = 14,
    TAG_ACPI_NEW = 15,
};

#define MEMORY_AVAILABLE 1
#define LOW_END          0xa0000 /* of what a start-up interrupt can name, and PCs have RAM at */

struct header {
    uint32_t total_size;
    uint32_t reserved;
};

struct tag {
    uint32_t type;
    uint32_t size; /* this header included, padding not */
};

struct module {
    struct tag tag;
    uint32_t start, end; /* physical */
};

struct memory_map {
    struct tag tag;
    uint32_t entry_size;
    uint32_t entry_version;
};

struct memory_entry {
    uint64_t base;
    uint64_t length;
    uint32_t type;
    uint32_t reserved;
};

/* Any but page 0, which nobody should have to own, and those of the boot loader's information. */
static void multiboot2_find_low_page(struct boot_information *out, uint64_t start, uint64_t end)
{
    for (uint64_t page = start; page < end && page < LOW_END && !out->low_page; page += PAGE_SIZE)
        if (page > 0 && (page < out->loader.start || page >= out->loader.end))
            out->low_page = (uint32_t)page;
}

/* Whole pages only, and nothing below 1 MiB, where firmware and the real-mode world keep things. */
static void multiboot2_add_memory(struct boot_information *out, const struct memory_entry *entry)
{
    uint64_t start = (entry->base + PAGE_SIZE - 1) & ~(PAGE_SIZE - 1);
    uint64_t end = (entry->base + entry->length) & ~(PAGE_SIZE - 1);

    if (entry->type != MEMORY_AVAILABLE)
        return;
    multiboot2_find_low_page(out, start, end);
    if (start < 0x100000)
        start = 0x100000;
    if (start >= end)
        return;
    if (out->memory_count == BOOT_RANGES_MAX) {
        out->memory_ignored++;
        return;
    }
    out->memory[out->memory_count++] = (struct paging_range){start, end};
}

static void multiboot2_read_memory_map(const struct memory_map *map, struct boot_information *out)
{
    const char *end = (const char *)map + map->tag.size;

    if (map->entry_size < sizeof(struct memory_entry))
        return;
    for (const char *at = (const char *)(map + 1); at < end; at += map->entry_size)
        multiboot2_add_memory(out, (const struct memory_entry *)at);
}

static void multiboot2_read_command_line(const struct tag *tag, struct boot_information *out)
{
    size_t length = tag->size - sizeof(*tag);

    if (length > sizeof(out->command_line))
        length = sizeof(out->command_line);
    memcpy(out->command_line, tag + 1, length);
    out->command_line[sizeof(out->command_line) - 1] = '\0';
}

static void multiboot2_read_acpi(const struct tag *tag, struct boot_information *out)
{
    size_t length = tag->size - sizeof(*tag);

    if (length > sizeof(out->acpi_root))
        length = sizeof(out->acpi_root);
    if (length < out->acpi_root_size) /* the old one, after the new one */
        return;
    memcpy(out->acpi_root, tag + 1, length);
    out->acpi_root_size = length;
}

/* On a page of its own, as the header asks for. */
static void multiboot2_read_module(const struct module *module, struct boot_information *out)
{
    if (module->tag.size < sizeof(*module) || out->module_size > 0 || module->start >= module->end)
        return;
    out->module.start = module->start & ~(PAGE_SIZE - 1);
    out->module.end = (module->end + PAGE_SIZE - 1) & ~(PAGE_SIZE - 1);
    out->module_size = module->end - module->start;
}

static void multiboot2_read_tag(const struct tag *tag, struct boot_information *out)
{
    switch (tag->type) {
    case TAG_COMMAND_LINE:
        multiboot2_read_command_line(tag, out);
        break;
    case TAG_MODULE:
        multiboot2_read_module((const struct module *)tag, out);
        break;
    case TAG_MEMORY_MAP:
        multiboot2_read_memory_map((const struct memory_map *)tag, out);
        break;
    case TAG_ACPI_OLD:
    case TAG_ACPI_NEW:
        multiboot2_read_acpi(tag, out);
        break;
    default:
        break;
    }
}

void multiboot2_read(uint32_t physical, struct boot_information *out)
{
    const struct header *header = direct_address(physical);
    const char *end = (const char *)header + header->total_size;

    *out = (struct boot_information){0};
    out->loader.start = physical & ~(PAGE_SIZE - 1);
    out->loader.end = (physical + header->total_size + PAGE_SIZE - 1) & ~(PAGE_SIZE - 1);
    for (const char *at = (const char *)(header + 1); at < end;) {
        const struct tag *tag = (const struct tag *)at;

        if (tag->type == TAG_END || tag->size < sizeof(*tag))
            break;
        multiboot2_read_tag(tag, out);
        at += (tag->size + 7) & ~7u; /* tags are padded to 8 bytes */
    }
}
