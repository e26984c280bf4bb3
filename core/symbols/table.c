/* SPDX-License-Identifier: BSD-2-Clause */
/* A symbol table, checked when it is opened (core/symbols/symbols.h). */
#include "core/symbols/symbols.h"

#include "core/abi/symtab.h"
#include "core/lib/refusal.h"
#include "core/lib/string.h"
#include "core/pitot.h"

static int check_header(const struct symtab_header *header, size_t room, const uint8_t *build_id,
                        size_t build_id_size, struct refusal *why)
{
    if ((uintptr_t)header % _Alignof(struct symtab_header))
        return refuse(why, EINVAL, "the symbol table lies at 0x%lx: a multiple of %zu is needed",
                      (unsigned long)(uintptr_t)header, _Alignof(struct symtab_header));
    if (room < sizeof(*header) || header->magic != SYMTAB_MAGIC)
        return refuse(why, EINVAL, "no symbol table in the image: run tools/symtab on it");
    if (header->version != SYMTAB_VERSION)
        return refuse(why, EINVAL, "symbol table of version %u, this kernel reads version %u",
                      header->version, SYMTAB_VERSION);
    if (build_id_size != SYMTAB_BUILD_ID_SIZE ||
        memcmp(header->build_id, build_id, SYMTAB_BUILD_ID_SIZE) != 0)
        return refuse(why, EINVAL, "the symbol table is another build's: run tools/symtab again");
    if (header->size > room)
        return refuse(why, EINVAL, "symbol table of %u bytes in a section of %zu", header->size,
                      room);
    return 0;
}

/* True if `count` items of `size` bytes at `offset` lie inside the table. */
static bool fits(const struct symtab_header *header, uint32_t offset, uint32_t count, size_t size)
{
    return offset % sizeof(uint32_t) == 0 && offset >= sizeof(*header) &&
           offset + (uint64_t)count * size <= header->size;
}

static int check_parts(const struct symtab_header *header, struct refusal *why)
{
    if (header->found_count > header->entry_count ||
        !fits(header, header->entries, header->entry_count, sizeof(struct symtab_entry)) ||
        !fits(header, header->by_name, header->entry_count, sizeof(uint32_t)) ||
        !fits(header, header->strings, header->strings_size, 1))
        return refuse(why, EINVAL, "the symbol table's parts reach beyond its %u bytes",
                      header->size);
    if (header->strings_size == 0 ||
        ((const char *)header)[header->strings + header->strings_size - 1] != '\0')
        return refuse(why, EINVAL, "the symbol table's names do not end");
    return 0;
}

static int check_entries(const struct symbol_table *table, uint32_t strings_size,
                         struct refusal *why)
{
    for (uint32_t i = 0; i < table->entry_count; i++) {
        if (table->entries[i].name >= strings_size)
            return refuse(why, EINVAL, "symbol %u has its name outside the table", i);
        if (i > 0 && i < table->found_count &&
            table->entries[i].offset <= table->entries[i - 1].offset)
            return refuse(why, EINVAL, "symbol %u is out of order", i);
    }
    return 0;
}

static const char *name_at(const struct symbol_table *table, size_t index)
{
    return table->strings + table->entries[table->by_name[index]].name;
}

static int check_names(const struct symbol_table *table, struct refusal *why)
{
    for (uint32_t i = 0; i < table->entry_count; i++) {
        if (table->by_name[i] >= table->entry_count)
            return refuse(why, EINVAL, "name %u belongs to no symbol", i);
        if (i > 0 && strcmp(name_at(table, i - 1), name_at(table, i)) > 0)
            return refuse(why, EINVAL, "name %u is out of order", i);
    }
    return 0;
}

int symbol_table_open(struct symbol_table *table, const void *bytes, size_t room,
                      const uint8_t *build_id, size_t build_id_size, struct refusal *why)
{
    const struct symtab_header *header = bytes;
    const char *start = bytes;
    int error = check_header(header, room, build_id, build_id_size, why);

    *table = (struct symbol_table){.entry_count = 0};
    if (!error)
        error = check_parts(header, why);
    if (error)
        return error;
    const struct symbol_table opened = {
        .base = header->base,
        .entries = (const struct symtab_entry *)(start + header->entries),
        .entry_count = header->entry_count,
        .found_count = header->found_count,
        .by_name = (const uint32_t *)(start + header->by_name),
        .strings = start + header->strings,
    };
    error = check_entries(&opened, header->strings_size, why);
    if (!error)
        error = check_names(&opened, why);
    if (!error)
        *table = opened;
    return error;
}

_Static_assert(sizeof(struct symbol_table) <= sizeof(struct pitot_symbols),
               "core/pitot.h has room for a table");

_Static_assert(sizeof(struct symtab_header) == PITOT_SYMBOLS_HEAD, "core/pitot.h says so");

unsigned long pitot_symbols_size(const void *head)
{
    const struct symtab_header *header = head;

    return header->magic == SYMTAB_MAGIC ? header->size : 0;
}

const char *pitot_symbols_open(struct pitot_symbols *symbols, const void *table, unsigned long size,
                               const unsigned char *build_id)
{
    static struct refusal why; /* read by the caller before the next call */

    if (symbol_table_open((struct symbol_table *)symbols, table, size, build_id,
                          SYMTAB_BUILD_ID_SIZE, &why))
        return why.text;
    return NULL;
}

static struct symbol symbol_of(const struct symbol_table *table, const struct symtab_entry *entry)
{
    return (struct symbol){
        .name = table->strings + entry->name,
        .address = table->base + entry->offset,
        .size = entry->size,
        .kind = (char)entry->kind,
    };
}

/* Returns the number of entries that can name an address and begin at or before `offset`. */
static size_t count_up_to(const struct symbol_table *table, uint32_t offset)
{
    size_t low = 0, high = table->found_count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (table->entries[middle].offset <= offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

bool symbol_table_find_address(const struct symbol_table *table, uintptr_t address,
                               struct symbol *found)
{
    uint64_t offset = address - table->base;
    size_t count = offset <= UINT32_MAX ? count_up_to(table, (uint32_t)offset) : 0;

    if (count == 0)
        return false;
    const struct symtab_entry *entry = &table->entries[count - 1];
    /* A symbol without a size extends to the next, but not into the other half of the addresses. */
    bool reaches =
        count < table->found_count && (table->base + entry->offset) >> 63 == address >> 63;
    bool inside = entry->size ? offset - entry->offset < entry->size : reaches;
    if (inside)
        *found = symbol_of(table, entry);
    return inside;
}

/* Returns the index of the first name that is not less than `name`. */
static size_t lower_bound_of(const struct symbol_table *table, const char *name)
{
    size_t low = 0, high = table->entry_count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (strcmp(name_at(table, middle), name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

int symbol_table_find_name(const struct symbol_table *table, const char *name, struct symbol *found,
                           size_t *count)
{
    size_t first = lower_bound_of(table, name), end = first;

    while (end < table->entry_count && strcmp(name_at(table, end), name) == 0)
        end++;
    *count = end - first;
    if (end == first)
        return -ENOENT;
    symbol_table_by_name(table, first, found);
    return end - first == 1 ? 0 : -EEXIST;
}

bool symbol_table_by_name(const struct symbol_table *table, size_t index, struct symbol *found)
{
    if (index >= table->entry_count)
        return false;
    *found = symbol_of(table, &table->entries[table->by_name[index]]);
    return true;
}
