/* SPDX-License-Identifier: BSD-2-Clause */
/* See elf_symbols.h. */
#include "outside/pitot/elf_symbols.h"

#include <gelf.h>
#include <linux/errno.h>
#include <stdlib.h>
#include <string.h>

#define FUNCTION 't' /* struct symbol's kind; all else is data here */
#define DATA     'd'

static struct {
    size_t count, function_count;
    struct symbol *by_name, *functions; /* the latter in the order of addresses */
    uint64_t slide;
} symbols;

static int compare_names(const void *left, const void *right)
{
    const struct symbol *a = left, *b = right;
    int names = strcmp(a->name, b->name);

    return names ? names : (a->address > b->address) - (a->address < b->address);
}

/* Look-ups find the last one of those at an address: the one with a size. */
static int compare_addresses(const void *left, const void *right)
{
    const struct symbol *a = left, *b = right;

    if (a->address != b->address)
        return a->address < b->address ? -1 : 1;
    return (a->size > b->size) - (a->size < b->size);
}

/* Assembly leaves its functions without a type, and its inner labels, too: these are local. */
static bool is_function(Elf *elf, const GElf_Sym *symbol)
{
    GElf_Shdr section;
    int type = GELF_ST_TYPE(symbol->st_info);

    if (type == STT_FUNC)
        return true;
    return type == STT_NOTYPE && GELF_ST_BIND(symbol->st_info) != STB_LOCAL &&
           gelf_getshdr(elf_getscn(elf, symbol->st_shndx), &section) &&
           (section.sh_flags & SHF_EXECINSTR);
}

static bool is_named_place(const GElf_Sym *symbol, const char *name)
{
    int type = GELF_ST_TYPE(symbol->st_info);

    return (type == STT_FUNC || type == STT_OBJECT || type == STT_NOTYPE) && name && *name &&
           symbol->st_shndx != SHN_UNDEF;
}

static void read_table(Elf *elf, Elf_Data *data, size_t strings)
{
    GElf_Sym symbol;

    for (int i = 0; gelf_getsym(data, i, &symbol); i++) {
        const char *name = elf_strptr(elf, strings, symbol.st_name);
        if (!is_named_place(&symbol, name))
            continue;
        struct symbol *to = &symbols.by_name[symbols.count];
        *to = (struct symbol){.name = strdup(name),
                              .address = symbol.st_value,
                              .size = symbol.st_size,
                              .kind = is_function(elf, &symbol) ? FUNCTION : DATA};
        if (!to->name)
            return;
        symbols.count++;
        if (to->kind == FUNCTION)
            symbols.functions[symbols.function_count++] = *to;
    }
}

bool elf_symbols_read(Elf *elf)
{
    Elf_Scn *section = NULL;
    GElf_Shdr header;

    while ((section = elf_nextscn(elf, section)) != NULL)
        if (gelf_getshdr(section, &header) && header.sh_type == SHT_SYMTAB)
            break;
    Elf_Data *data = section ? elf_getdata(section, NULL) : NULL;
    if (!data)
        return false;
    symbols.by_name = calloc(data->d_size / sizeof(Elf64_Sym) + 1, sizeof(struct symbol));
    symbols.functions = calloc(data->d_size / sizeof(Elf64_Sym) + 1, sizeof(struct symbol));
    if (!symbols.by_name || !symbols.functions)
        return false;
    read_table(elf, data, header.sh_link);
    qsort(symbols.by_name, symbols.count, sizeof(struct symbol), compare_names);
    qsort(symbols.functions, symbols.function_count, sizeof(struct symbol), compare_addresses);
    return symbols.count > 0;
}

bool elf_symbols_function(size_t index, struct symbol *found)
{
    if (index >= symbols.function_count)
        return false;
    *found = symbols.functions[index];
    return true;
}

bool symbols_by_name(size_t index, struct symbol *found)
{
    if (index >= symbols.count)
        return false;
    *found = symbols.by_name[index];
    return true;
}

/* The index of the first whose name is not before this one. */
static size_t find_first(const char *name)
{
    size_t low = 0, high = symbols.count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (strcmp(symbols.by_name[middle].name, name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

int symbols_find_name(const char *name, struct symbol *found, size_t *count)
{
    size_t first = find_first(name), end = first;

    while (end < symbols.count && strcmp(symbols.by_name[end].name, name) == 0)
        end++;
    *count = end - first;
    if (*count == 0)
        return -ENOENT;
    *found = symbols.by_name[first];
    return *count > 1 ? -EEXIST : 0;
}

void elf_symbols_slide(uint64_t slide)
{
    symbols.slide = slide;
}

bool symbols_find_address(uintptr_t address, struct symbol *found)
{
    uint64_t in_file = address - symbols.slide;
    size_t low = 0, high = symbols.function_count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (symbols.functions[middle].address <= in_file)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0)
        return false;
    *found = symbols.functions[low - 1];
    found->address += symbols.slide;
    return found->size == 0 || address - found->address < found->size;
}
