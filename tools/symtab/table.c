/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Builds the kernel's symbol table (core/abi/symtab.h). Called by main.c and tests/unit.
 *
 * Among several symbols at an address it chooses like perf, because reports of both are compared.
 * perf's rules, found by experiment with perf 6.1, are in docs/unwinding.md.
 */
#include "tools/symtab/table.h"

#include <stdlib.h>
#include <string.h>

#include "core/abi/symtab.h"
#include "tools/image/allocate.h"

#define UPPER_HALF (1ull << 63)

/* A name and its entry, for sorting. */
struct named_entry {
    const char *name;
    uint32_t entry;
};

static int compare(uint64_t left, uint64_t right)
{
    return (left > right) - (left < right);
}

static int by_offset(const void *left, const void *right)
{
    const struct table_symbol *a = left, *b = right;

    return a->offset != b->offset ? compare(a->offset, b->offset) : compare(a->order, b->order);
}

/* Sorts the symbols that name addresses before those that are only names. */
static int by_use(const void *left, const void *right)
{
    const struct table_symbol *a = left, *b = right;

    return a->name_only != b->name_only ? a->name_only - b->name_only : by_offset(a, b);
}

static int by_name(const void *left, const void *right)
{
    const struct named_entry *a = left, *b = right;
    int order = strcmp(a->name, b->name);

    return order ? order : compare(a->entry, b->entry);
}

static uint64_t choose_base(const struct table_symbol *symbols, size_t count)
{
    uint64_t lowest = UINT64_MAX, lowest_upper = UINT64_MAX;

    for (size_t i = 0; i < count; i++) {
        uint64_t address = symbols[i].address;
        if (address < lowest)
            lowest = address;
        if (address >= UPPER_HALF && address < lowest_upper)
            lowest_upper = address;
    }
    return lowest_upper != UINT64_MAX ? lowest_upper : lowest;
}

static bool set_offsets(struct table_symbol *symbols, size_t count, uint64_t base)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t offset = symbols[i].address - base;
        if (offset > UINT32_MAX || symbols[i].size > UINT32_MAX)
            return false;
        symbols[i].offset = (uint32_t)offset;
        symbols[i].order = (uint32_t)i;
    }
    return true;
}

static size_t leading_underscores(const char *name)
{
    return strspn(name, "_");
}

/*
 * True if perf prefers b to a at the same address: a size to none, strong to weak, global to local,
 * fewer leading underscores, the longer name. For data, which perf does not name, an object comes
 * before a linker script's mark.
 */
static bool is_better(const struct table_symbol *a, uint64_t a_extent, const struct table_symbol *b,
                      uint64_t b_extent)
{
    if ((a_extent == 0) != (b_extent == 0))
        return a_extent == 0;
    if ((!a->code || !b->code) && a->label != b->label)
        return a->label;
    if (a->weak != b->weak)
        return a->weak;
    if (a->global != b->global)
        return b->global;
    if (leading_underscores(a->name) != leading_underscores(b->name))
        return leading_underscores(b->name) < leading_underscores(a->name);
    return strlen(b->name) > strlen(a->name);
}

/* The symbols from `first` to `end` share an address: all but the best become names only. */
static void choose_among(struct table_symbol *first, struct table_symbol *end)
{
    struct table_symbol *best = NULL;
    uint64_t best_extent = 0;

    for (struct table_symbol *symbol = first; symbol < end; symbol++) {
        /* perf ends a symbol without a size at the next symbol in its list, usually here. */
        uint64_t extent = symbol->size || symbol + 1 == end ? symbol->reach : 0;
        if (!best || is_better(best, best_extent, symbol, extent)) {
            best = symbol;
            best_extent = extent;
        }
    }
    for (struct table_symbol *symbol = first; symbol < end; symbol++)
        symbol->name_only = symbol != best;
}

/*
 * Returns the symbol's size, or, if it has none, the distance to the next address, but not past the
 * section's end, where the linker script's marks may lie.
 */
static uint64_t reach_of(const struct table_symbol *symbol, uint64_t next_address)
{
    uint64_t limit = symbol->section_end < next_address ? symbol->section_end : next_address;

    if (symbol->size)
        return symbol->size;
    return limit > symbol->address ? limit - symbol->address : 0;
}

/*
 * True if all these symbols are labels inside a sized function: they mark its body and name no
 * address.
 */
static bool is_inside(const struct table_symbol *first, const struct table_symbol *end,
                      uint64_t function_end)
{
    for (const struct table_symbol *symbol = first; symbol < end; symbol++) {
        if (!symbol->label || symbol->size || symbol->offset >= function_end)
            return false;
    }
    return true;
}

/* Processes the symbols address by address. */
static void choose_names(struct table_symbol *symbols, size_t count)
{
    struct table_symbol *end = symbols + count, *next;
    uint64_t function_end = 0; /* offset of the end of the furthest sized symbol so far */

    for (struct table_symbol *first = symbols; first < end; first = next) {
        for (next = first + 1; next < end && next->offset == first->offset;)
            next++;
        uint64_t next_address =
            next < end && next->address > first->address ? next->address : UINT64_MAX;
        for (struct table_symbol *symbol = first; symbol < next; symbol++)
            symbol->reach = reach_of(symbol, next_address);
        choose_among(first, next);
        if (is_inside(first, next, function_end)) {
            for (struct table_symbol *symbol = first; symbol < next; symbol++)
                symbol->name_only = true;
        }
        for (struct table_symbol *symbol = first; symbol < next; symbol++) {
            if (symbol->offset + symbol->size > function_end)
                function_end = symbol->offset + symbol->size;
        }
    }
}

/* Drops repeated names at one address. Returns the remaining number. */
static size_t drop_repeated(struct table_symbol *symbols, size_t count)
{
    size_t kept = 0;

    for (size_t i = 0; i < count; i++) {
        bool repeated = false;
        for (size_t k = kept; k > 0 && symbols[k - 1].offset == symbols[i].offset; k--)
            repeated |= strcmp(symbols[k - 1].name, symbols[i].name) == 0;
        if (!repeated)
            symbols[kept++] = symbols[i];
    }
    return kept;
}

static uint32_t stored_size(const struct table_symbol *symbol)
{
    bool code_label = symbol->label && symbol->code;
    uint64_t size = symbol->size || !code_label ? symbol->size : symbol->reach;

    return size > UINT32_MAX ? UINT32_MAX : (uint32_t)size;
}

static void write_entries(char *bytes, const struct symtab_header *header,
                          const struct table_symbol *symbols)
{
    struct symtab_entry *entries = (struct symtab_entry *)(bytes + header->entries);
    char *strings = bytes + header->strings;
    uint32_t name = 0;

    for (uint32_t i = 0; i < header->entry_count; i++) {
        size_t length = strlen(symbols[i].name) + 1;
        entries[i] = (struct symtab_entry){
            .offset = symbols[i].offset,
            .size = stored_size(&symbols[i]),
            .name = name,
            .kind = (uint32_t)symbols[i].kind,
        };
        memcpy(strings + name, symbols[i].name, length);
        name += (uint32_t)length;
    }
}

static void write_names(char *bytes, const struct symtab_header *header,
                        const struct table_symbol *symbols)
{
    uint32_t *indices = (uint32_t *)(bytes + header->by_name);
    struct named_entry *names = allocate(header->entry_count, sizeof(*names));

    for (uint32_t i = 0; i < header->entry_count; i++)
        names[i] = (struct named_entry){symbols[i].name, i};
    qsort(names, header->entry_count, sizeof(*names), by_name);
    for (uint32_t i = 0; i < header->entry_count; i++)
        indices[i] = names[i].entry;
    free(names);
}

static struct symtab_header lay_out(const struct table_symbol *symbols, size_t count, uint64_t base,
                                    const uint8_t *build_id)
{
    struct symtab_header header = {
        .magic = SYMTAB_MAGIC,
        .version = SYMTAB_VERSION,
        .base = base,
        .entry_count = (uint32_t)count,
        .entries = sizeof(header),
    };

    memcpy(header.build_id, build_id, SYMTAB_BUILD_ID_SIZE);
    for (size_t i = 0; i < count; i++) {
        header.strings_size += (uint32_t)strlen(symbols[i].name) + 1;
        header.found_count += !symbols[i].name_only;
    }
    header.by_name = header.entries + header.entry_count * (uint32_t)sizeof(struct symtab_entry);
    header.strings = header.by_name + header.entry_count * (uint32_t)sizeof(uint32_t);
    header.size = (header.strings + header.strings_size + 15) / 16 * 16;
    return header;
}

bool table_build(struct table *table, struct table_symbol *symbols, size_t count,
                 const uint8_t *build_id)
{
    uint64_t base = choose_base(symbols, count);

    if (!set_offsets(symbols, count, base))
        return false;
    qsort(symbols, count, sizeof(*symbols), by_offset);
    count = drop_repeated(symbols, count);
    choose_names(symbols, count);
    qsort(symbols, count, sizeof(*symbols), by_use);

    struct symtab_header header = lay_out(symbols, count, base, build_id);
    table->size = header.size;
    table->bytes = allocate(1, header.size);
    memcpy(table->bytes, &header, sizeof(header));
    write_entries(table->bytes, &header, symbols);
    write_names(table->bytes, &header, symbols);
    return true;
}
