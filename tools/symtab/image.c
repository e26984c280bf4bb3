/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads the linked kernel with libelf, and writes into its reserved section in place: no other byte
 * of the file moves or changes, so the build id, the addresses and the debug information stay what
 * the linker made them. Called by main.c.
 */
#include "tools/symtab/image.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Always false, so that a check reads `return complain(...)`. */
__attribute__((format(printf, 2, 3))) static bool complain(const struct image *image,
                                                           const char *format, ...)
{
    va_list arguments;

    fprintf(stderr, "symtab: %s: ", image->path);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    return false;
}

static const char *section_name(struct image *image, const GElf_Shdr *header)
{
    size_t names;
    const char *name = NULL;

    if (elf_getshdrstrndx(image->elf, &names) == 0)
        name = elf_strptr(image->elf, names, header->sh_name);
    return name ? name : "";
}

static bool note_build_id(struct image *image, Elf_Data *data)
{
    GElf_Nhdr note;
    size_t name, content;

    for (size_t at = 0; (at = gelf_getnote(data, at, &note, &name, &content)) > 0;) {
        const char *bytes = data->d_buf;
        if (note.n_type != NT_GNU_BUILD_ID || note.n_namesz != sizeof("GNU") ||
            memcmp(bytes + name, "GNU", sizeof("GNU")) != 0)
            continue;
        if (note.n_descsz != SYMTAB_BUILD_ID_SIZE)
            return complain(image, "the build id has %u bytes, not %u: link with --build-id=sha1",
                            note.n_descsz, SYMTAB_BUILD_ID_SIZE);
        memcpy(image->build_id, bytes + content, SYMTAB_BUILD_ID_SIZE);
        return true;
    }
    return complain(image, "no build id in .note.gnu.build-id: link with --build-id=sha1");
}

static bool note_reserved(struct image *image, Elf_Scn *section, const GElf_Shdr *header)
{
    if (header->sh_type == SHT_NOBITS)
        return complain(image, RESERVED_SECTION " takes no room in the file: put a byte into it");
    image->reserved_offset = (off_t)header->sh_offset;
    image->reserved_size = header->sh_size;
    image->reserved_index = elf_ndxscn(section);
    return true;
}

static bool find_parts(struct image *image)
{
    Elf_Scn *section = NULL;
    GElf_Shdr header;
    bool build_id = false;

    while ((section = elf_nextscn(image->elf, section)) != NULL) {
        if (!gelf_getshdr(section, &header))
            return complain(image, "%s", elf_errmsg(-1));
        const char *name = section_name(image, &header);
        if (strcmp(name, RESERVED_SECTION) == 0 && !note_reserved(image, section, &header))
            return false;
        if (strcmp(name, ".note.gnu.build-id") == 0) {
            Elf_Data *data = elf_getdata(section, NULL);
            build_id = data && note_build_id(image, data);
            if (!build_id)
                return false;
        }
    }
    if (image->reserved_size == 0)
        return complain(image, "no section " RESERVED_SECTION);
    return build_id || complain(image, "no section .note.gnu.build-id: link with --build-id=sha1");
}

bool image_open(struct image *image, const char *path)
{
    *image = (struct image){.path = path, .file = open(path, O_RDWR | O_CLOEXEC)};
    if (image->file < 0)
        return complain(image, "%s", strerror(errno));
    elf_version(EV_CURRENT);
    image->elf = elf_begin(image->file, ELF_C_READ, NULL);
    if (!image->elf || elf_kind(image->elf) != ELF_K_ELF || gelf_getclass(image->elf) != ELFCLASS64)
        return complain(image, "not a 64-bit ELF file");
    return find_parts(image);
}

void image_close(struct image *image)
{
    elf_end(image->elf);
    if (image->file >= 0)
        close(image->file);
}

/* As nm has it: code, data that takes no room in the file, data, the rest. */
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

/* False for what has no place in the table: no code or data, not in memory, or in our section. */
static bool take_symbol(struct image *image, const GElf_Sym *from, const char *name,
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

bool image_symbols(struct image *image, struct table_symbol **symbols, size_t *count)
{
    Elf_Scn *section = NULL;
    GElf_Shdr header;

    do {
        section = elf_nextscn(image->elf, section);
        if (!section || !gelf_getshdr(section, &header))
            return complain(image, "no .symtab: do not strip before this tool has run");
    } while (header.sh_type != SHT_SYMTAB);

    Elf_Data *data = elf_getdata(section, NULL);
    size_t total = data && header.sh_entsize ? header.sh_size / header.sh_entsize : 0;
    *count = 0;
    *symbols = calloc(total + 1, sizeof(**symbols));
    if (!*symbols)
        return complain(image, "out of memory");
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

bool image_write(struct image *image, const struct table *table)
{
    if (table->size > image->reserved_size)
        return complain(image, RESERVED_SECTION " has %zu bytes, the table needs %zu (%#zx)",
                        image->reserved_size, table->size, table->size);

    char *bytes = calloc(1, image->reserved_size);
    if (!bytes)
        return complain(image, "out of memory");
    memcpy(bytes, table->bytes, table->size);
    ssize_t written = pwrite(image->file, bytes, image->reserved_size, image->reserved_offset);
    free(bytes);
    if (written < 0 || (size_t)written != image->reserved_size)
        return complain(image, "cannot write: %s", strerror(errno));
    return true;
}
