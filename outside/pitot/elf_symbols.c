/* SPDX-License-Identifier: BSD-2-Clause */
/* See elf_symbols.h. */
#define _GNU_SOURCE
#include "outside/pitot/elf_symbols.h"

#include <ctype.h>
#include <gelf.h>

#include "outside/pitot/array.h"
#include "outside/pitot/plain.h"

static struct {
    size_t count, room, function_count, variable_count;
    struct symbol *by_name, *functions, *variables; /* these two: in address order */
    uint64_t slide;
    struct code {
        uint64_t begin, end;
    } * code; /* the code sections; none: not known */
    size_t code_count;
    bool perf_lacks_some; /* a function */
} symbols;

static int compare_names(const void *left, const void *right)
{
    const struct symbol *a = left, *b = right;
    int names = strcmp(a->name, b->name);

    return names ? names : (a->address > b->address) - (a->address < b->address);
}

bool elf_symbols_is_readable(const struct symbol *symbol)
{
    return isupper(symbol->kind);
}

/*
 * Lookups take the last symbol at an address, so the largest comes last, its readable name after
 * the mangled one.
 */
static int compare_addresses(const void *left, const void *right)
{
    const struct symbol *a = left, *b = right;

    if (a->address != b->address)
        return a->address < b->address ? -1 : 1;
    if (a->size != b->size)
        return a->size < b->size ? -1 : 1;
    return elf_symbols_is_readable(a) - elf_symbols_is_readable(b);
}

/* Assembly functions may have no type, like labels inside functions, but those labels are local. */
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

/*
 * perf leaves out symbols without a type that are hidden, as C's `#pragma GCC visibility` makes of
 * an assembly function that it declares. Their code would have the name of the one before.
 */
static bool is_seen_by_perf(const GElf_Sym *symbol)
{
    int visibility = GELF_ST_VISIBILITY(symbol->st_other);

    return GELF_ST_TYPE(symbol->st_info) != STT_NOTYPE ||
           (visibility != STV_HIDDEN && visibility != STV_INTERNAL);
}

static bool is_named_place(const GElf_Sym *symbol, const char *name)
{
    int type = GELF_ST_TYPE(symbol->st_info);

    return (type == STT_FUNC || type == STT_OBJECT || type == STT_NOTYPE) && name && *name &&
           symbol->st_shndx != SHN_UNDEF;
}

/* Takes ownership of the name. */
static bool append(char *name, const struct symbol *symbol, char kind)
{
    if (!name || array_grow(&symbols.by_name, &symbols.room, symbols.count + 1, sizeof(*symbol),
                            "symbols", NULL) != 0)
        return false;
    symbols.by_name[symbols.count] = *symbol;
    symbols.by_name[symbols.count].name = name;
    symbols.by_name[symbols.count++].kind = kind;
    return true;
}

bool elf_symbols_add(const char *name, uint64_t address, uint64_t size, bool function)
{
    struct symbol symbol = {.address = address, .size = size};
    char kind = function ? ELF_SYMBOLS_FUNCTION : ELF_SYMBOLS_DATA;
    char *readable = demangle(name);
    bool added = append(plain_text(name), &symbol, kind) &&
                 (!readable || append(plain_text(readable), &symbol, (char)toupper(kind)));

    free(readable);
    return added;
}

/* A constructor has several symbols with the same readable name. */
static void drop_doubles(void)
{
    size_t kept = 0;

    for (size_t i = 0; i < symbols.count; i++) {
        const struct symbol *next = &symbols.by_name[i];
        if (kept > 0 && elf_symbols_is_readable(next) &&
            compare_names(&symbols.by_name[kept - 1], next) == 0)
            continue;
        symbols.by_name[kept++] = *next;
    }
    symbols.count = kept;
}

/* Copies the symbols of one kind, in address order. Returns how many there are. */
static size_t sort_kind(struct symbol *to, char kind)
{
    size_t count = 0;

    for (size_t i = 0; i < symbols.count; i++)
        if (tolower(symbols.by_name[i].kind) == kind)
            to[count++] = symbols.by_name[i];
    qsort(to, count, sizeof(*to), compare_addresses);
    return count;
}

bool elf_symbols_sort(void)
{
    symbols.functions = calloc(symbols.count + 1, sizeof(struct symbol));
    symbols.variables = calloc(symbols.count + 1, sizeof(struct symbol));
    if (!symbols.functions || !symbols.variables || symbols.count == 0)
        return false;
    qsort(symbols.by_name, symbols.count, sizeof(struct symbol), compare_names);
    drop_doubles();
    symbols.function_count = sort_kind(symbols.functions, ELF_SYMBOLS_FUNCTION);
    symbols.variable_count = sort_kind(symbols.variables, ELF_SYMBOLS_DATA);
    return true;
}

static bool read_code(Elf *elf, uint64_t (*address_of)(uint64_t value))
{
    Elf_Scn *section = NULL;
    GElf_Shdr header;
    size_t count;

    if (elf_getshdrnum(elf, &count) < 0)
        return false;
    symbols.code = calloc(count + 1, sizeof(*symbols.code));
    while (symbols.code && (section = elf_nextscn(elf, section)) != NULL)
        if (gelf_getshdr(section, &header) && header.sh_flags & SHF_EXECINSTR)
            symbols.code[symbols.code_count++] = (struct code){
                address_of(header.sh_addr), address_of(header.sh_addr) + header.sh_size};
    return symbols.code;
}

bool elf_symbols_read(Elf *elf, uint64_t (*address_of)(uint64_t value))
{
    Elf_Scn *section = NULL;
    GElf_Shdr header;
    GElf_Sym symbol;

    while ((section = elf_nextscn(elf, section)) != NULL)
        if (gelf_getshdr(section, &header) && header.sh_type == SHT_SYMTAB)
            break;
    Elf_Data *data = section ? elf_getdata(section, NULL) : NULL;
    for (int i = 0; data && gelf_getsym(data, i, &symbol); i++) {
        const char *name = elf_strptr(elf, header.sh_link, symbol.st_name);
        bool function = is_function(elf, &symbol);

        if (!is_named_place(&symbol, name))
            continue;
        if (!elf_symbols_add(name, address_of(symbol.st_value), symbol.st_size, function))
            return false;
        symbols.perf_lacks_some |= function && !is_seen_by_perf(&symbol);
    }
    return read_code(elf, address_of) && elf_symbols_sort();
}

bool elf_symbols_lacking_in_perf(void)
{
    return symbols.perf_lacks_some;
}

bool elf_symbols_function(size_t index, struct symbol *found)
{
    if (index >= symbols.function_count)
        return false;
    *found = symbols.functions[index];
    return true;
}

bool elf_symbols_variable(size_t index, struct symbol *found)
{
    if (index >= symbols.variable_count)
        return false;
    *found = symbols.variables[index];
    return true;
}

bool symbols_by_name(size_t index, struct symbol *found)
{
    if (index >= symbols.count)
        return false;
    *found = symbols.by_name[index];
    return true;
}

/* The index of the first symbol that does not sort before this name. */
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

uint64_t elf_symbols_slid(void)
{
    return symbols.slide;
}

/*
 * True if the address belongs to this function, which has no size: it extends to the next function
 * or the end of its section.
 */
static bool is_code_of(uint64_t function, uint64_t address)
{
    for (size_t i = 0; i < symbols.code_count; i++)
        if (function >= symbols.code[i].begin && function < symbols.code[i].end)
            return address < symbols.code[i].end;
    return true;
}

/*
 * Finds the last of these symbols, in address order, that does not begin after the run-time
 * address, and how far behind its begin that is.
 */
static bool find_last(const struct symbol *sorted, size_t count, uint64_t address,
                      struct symbol *found, uint64_t *behind)
{
    size_t until = ARRAY_UNTIL(sorted, count, address, address - symbols.slide);

    if (until == 0)
        return false;
    *found = sorted[until - 1];
    found->address += symbols.slide;
    *behind = address - found->address;
    return true;
}

bool symbols_find_address(uintptr_t address, struct symbol *found)
{
    uint64_t in_file = address - symbols.slide, behind;

    if (!find_last(symbols.functions, symbols.function_count, address, found, &behind))
        return false;
    return found->size ? behind < found->size : is_code_of(in_file - behind, in_file);
}

bool elf_symbols_find_variable(uint64_t address, struct symbol *found)
{
    uint64_t behind;

    return find_last(symbols.variables, symbols.variable_count, address, found, &behind) &&
           (behind == 0 || behind < found->size);
}
