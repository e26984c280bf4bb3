/* SPDX-License-Identifier: BSD-2-Clause */
/* See symbols.h. */
#include "tools/symtab/symbols.h"

#include <stdlib.h>

/*
 * Returns nm's letter for a symbol of the section: code, data without bytes in the file, writable
 * data, or the rest.
 */
static char kind_of(const GElf_Shdr *section, bool global)
{
    char kind = 'r';

    if (section->sh_flags & SHF_EXECINSTR)
        kind = 't';
    else if (section->sh_type == SHT_NOBITS)
        kind = 'b';
    else if (section->sh_flags & SHF_WRITE)
        kind = 'd';
    return global ? (char)(kind - 'a' + 'A') : kind;
}

/* Returns false if the symbol is not code or data, not in memory, or in the reserved section. */
static bool take_symbol(const struct image *image, const GElf_Sym *from, const char *name,
                        struct table_symbol *to)
{
    int type = GELF_ST_TYPE(from->st_info), binding = GELF_ST_BIND(from->st_info);
    GElf_Shdr section;

    if (type != STT_FUNC && type != STT_OBJECT && type != STT_NOTYPE)
        return false;
    if (!name || name[0] == '\0' || from->st_shndx == SHN_UNDEF ||
        from->st_shndx >= SHN_LORESERVE || from->st_shndx == image->reserved_index)
        return false;
    if (!gelf_getshdr(elf_getscn(image->elf, from->st_shndx), &section) ||
        !(section.sh_flags & SHF_ALLOC))
        return false;
    *to = (struct table_symbol){
        .name = name,
        .address = from->st_value,
        .size = from->st_size,
        .section_end = section.sh_addr + section.sh_size,
        .label = type == STT_NOTYPE,
        .code = section.sh_flags & SHF_EXECINSTR,
        .global = binding == STB_GLOBAL,
        .weak = binding == STB_WEAK,
        .kind = kind_of(&section, binding != STB_LOCAL),
    };
    return true;
}

bool symbols_read(const struct image *image, struct table_symbol **symbols, size_t *count)
{
    GElf_Shdr header;
    Elf_Data *data = image_symtab(image, &header);
    size_t total = data && header.sh_entsize ? header.sh_size / header.sh_entsize : 0;

    if (!data)
        return false;
    *count = 0;
    *symbols = calloc(total + 1, sizeof(**symbols));
    if (!*symbols)
        return image_complain(image, "out of memory");
    for (size_t i = 0; i < total; i++) {
        GElf_Sym symbol;
        if (!gelf_getsym(data, (int)i, &symbol))
            continue;
        const char *name = elf_strptr(image->elf, header.sh_link, symbol.st_name);
        if (take_symbol(image, &symbol, name, &(*symbols)[*count]))
            ++*count;
    }
    return true;
}
