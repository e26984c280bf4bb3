/* SPDX-License-Identifier: BSD-2-Clause */
/* See information.h. */
#include "boot/information.h"

#include "arch/memory.h"
#include "kernel/x86_64/memory/image.h"

enum {
    TAG_END = 0,
    TAG_COMMAND_LINE = 1,
    TAG_MODULE = 3,
    TAG_MEMORY_MAP = 6,
    TAG_ACPI_OLD = 14,
    TAG_ACPI_NEW = 15,
};

#define MEMORY_AVAILABLE 1

struct header {
    uint32_t total_size;
    uint32_t reserved;
};

struct tag {
    uint32_t type;
    uint32_t size; /* including this header, excluding padding */
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

static void multiboot2_read_memory_map(const struct memory_map *map, struct boot_information *out)
{
    const char *end = (const char *)map + map->tag.size;

    if (map->entry_size < sizeof(struct memory_entry))
        return;
    for (const char *at = (const char *)(map + 1); at < end; at += map->entry_size) {
        const struct memory_entry *entry = (const struct memory_entry *)at;

        if (entry->type == MEMORY_AVAILABLE)
            information_add_memory(out, entry->base, entry->length);
    }
}

static void multiboot2_read_tag(const struct tag *tag, struct boot_information *out)
{
    const struct module *module = (const struct module *)tag;

    switch (tag->type) {
    case TAG_COMMAND_LINE:
        information_set_command_line(out, (const char *)(tag + 1), tag->size - sizeof(*tag));
        break;
    case TAG_MODULE:
        if (tag->size >= sizeof(*module))
            information_add_module(out, module->start, module->end);
        break;
    case TAG_MEMORY_MAP:
        multiboot2_read_memory_map((const struct memory_map *)tag, out);
        break;
    case TAG_ACPI_OLD:
    case TAG_ACPI_NEW:
        information_add_acpi_root(out, tag + 1, tag->size - sizeof(*tag));
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
