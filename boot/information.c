/* SPDX-License-Identifier: BSD-2-Clause */
/* See information.h. Runs on the boot loader's mapping, interrupts off. */
#include "boot/information.h"

#include "arch/memory.h"
#include "core/lib/string.h"

#define LOW_END    0xa0000 /* on PCs, the end of RAM that a start-up interrupt can address */
#define LEGACY_END 0x100000

/* Takes any page except page 0, which is best left unused, and the loader's information. */
static void information_find_low_page(struct boot_information *out, uint64_t start, uint64_t end)
{
    for (uint64_t page = start; page < end && page < LOW_END && !out->low_page; page += PAGE_SIZE)
        if (page > 0 && (page < out->loader.start || page >= out->loader.end))
            out->low_page = (uint32_t)page;
}

/* Memory below 1 MiB belongs to firmware and real-mode code. */
void information_add_memory(struct boot_information *out, uint64_t base, uint64_t length)
{
    uint64_t start, end = base + length; /* less than `start` if it wraps: nothing is added */

    if (__builtin_add_overflow(base, PAGE_SIZE - 1, &start))
        return;
    start &= ~(PAGE_SIZE - 1);
    end &= ~(PAGE_SIZE - 1);
    information_find_low_page(out, start, end);
    if (start < LEGACY_END)
        start = LEGACY_END;
    if (start >= end)
        return;
    if (out->memory_count == BOOT_RANGES_MAX) {
        out->memory_ignored++;
        return;
    }
    out->memory[out->memory_count++] = (struct paging_range){start, end};
}

void information_add_module(struct boot_information *out, uint64_t start, uint64_t end)
{
    if (out->module_size > 0 || start >= end || end > UINT64_MAX - PAGE_SIZE)
        return;
    out->module.start = start & ~(PAGE_SIZE - 1);
    out->module.end = (end + PAGE_SIZE - 1) & ~(PAGE_SIZE - 1);
    out->module_start = start;
    out->module_size = end - start;
}

void information_set_command_line(struct boot_information *out, const char *text, size_t length)
{
    size_t at = 0;

    while (at < length && at < sizeof(out->command_line) - 1 && text[at] != '\0') {
        out->command_line[at] = text[at];
        at++;
    }
    out->command_line[at] = '\0';
}

void information_add_acpi_root(struct boot_information *out, const void *root, size_t length)
{
    if (length > sizeof(out->acpi_root))
        length = sizeof(out->acpi_root);
    if (length < out->acpi_root_size) /* the old RSDP may follow the new one */
        return;
    memcpy(out->acpi_root, root, length);
    out->acpi_root_size = length;
}
