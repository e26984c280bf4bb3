/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads the linked kernel with libelf, and writes a reserved section in place: no other byte of the
 * file changes, so build id, addresses and debug information stay. Called by tools/symtab,
 * tools/orcgen and tools/insnmap.
 */
#include "tools/image/image.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool image_complain(const struct image *image, const char *format, ...)
{
    va_list arguments;

    fprintf(stderr, "%s: %s: ", image->tool, image->path);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    return false;
}

const char *image_section_name(const struct image *image, const GElf_Shdr *header)
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
        if (note.n_descsz != IMAGE_BUILD_ID_SIZE)
            return image_complain(image,
                                  "the build id has %u bytes, not %u: link with --build-id=sha1",
                                  note.n_descsz, IMAGE_BUILD_ID_SIZE);
        memcpy(image->build_id, bytes + content, IMAGE_BUILD_ID_SIZE);
        return true;
    }
    return image_complain(image, "no build id in .note.gnu.build-id: link with --build-id=sha1");
}

static bool note_reserved(struct image *image, Elf_Scn *section, const GElf_Shdr *header)
{
    if (header->sh_type == SHT_NOBITS)
        return image_complain(image, "%s takes no room in the file: put a byte into it",
                              image->section);
    image->reserved_offset = (off_t)header->sh_offset;
    image->reserved_size = header->sh_size;
    image->reserved_index = elf_ndxscn(section);
    return true;
}

/*
 * Finds the room in a kernel that embeds Pitot: it is inside a section of the kernel, between two
 * symbols of tools/pitot-tables, such as pitot_insn_map_start and pitot_insn_map_end for
 * .insn_map.
 */
static bool find_marked(struct image *image)
{
    char names[2][64];
    uint64_t at[2] = {0, 0};
    size_t section = 0;
    GElf_Shdr symtab, header;
    Elf_Data *data = image_symtab(image, &symtab);
    GElf_Sym symbol;

    snprintf(names[0], sizeof(names[0]), "pitot_%s_start", image->section + 1);
    snprintf(names[1], sizeof(names[1]), "pitot_%s_end", image->section + 1);
    for (int i = 0; data && gelf_getsym(data, i, &symbol); i++) {
        const char *name = elf_strptr(image->elf, symtab.sh_link, symbol.st_name);

        for (unsigned which = 0; name && which < 2; which++)
            if (strcmp(name, names[which]) == 0) {
                at[which] = symbol.st_value;
                section = symbol.st_shndx;
            }
    }
    if (!at[0] || at[1] <= at[0] || !gelf_getshdr(elf_getscn(image->elf, section), &header) ||
        header.sh_type == SHT_NOBITS || at[0] < header.sh_addr ||
        at[1] - header.sh_addr > header.sh_size)
        return false;
    image->reserved_offset = (off_t)(header.sh_offset + (at[0] - header.sh_addr));
    image->reserved_size = at[1] - at[0];
    image->reserved_index = 0; /* the rest of that section is the kernel's */
    return true;
}

static bool find_parts(struct image *image)
{
    Elf_Scn *section = NULL;
    GElf_Shdr header;
    bool build_id = false;

    while ((section = elf_nextscn(image->elf, section)) != NULL) {
        if (!gelf_getshdr(section, &header))
            return image_complain(image, "%s", elf_errmsg(-1));
        const char *name = image_section_name(image, &header);
        if (strcmp(name, image->section) == 0 && !note_reserved(image, section, &header))
            return false;
        if (strcmp(name, ".note.gnu.build-id") == 0) {
            Elf_Data *data = elf_getdata(section, NULL);
            if (!data)
                return image_complain(image, "%s", elf_errmsg(-1));
            build_id = note_build_id(image, data);
            if (!build_id)
                return false;
        }
    }
    if (image->reserved_size == 0 && !find_marked(image) && !image->measures)
        return image_complain(image, "no section %s, and no room for it", image->section);
    return build_id || image->reserved_index == 0 ||
           image_complain(image, "no section .note.gnu.build-id: link with --build-id=sha1");
}

/* The table of sections is at the end of what linkers write. */
static bool is_cut(const struct image *image)
{
    struct stat status;
    GElf_Ehdr header;
    uint64_t size;

    if (fstat(image->file, &status) < 0 || !gelf_getehdr(image->elf, &header))
        return true;
    size = (uint64_t)status.st_size;
    return header.e_shoff > size ||
           (uint64_t)header.e_shnum * header.e_shentsize > size - header.e_shoff;
}

bool image_open(struct image *image, const char *tool, const char *section, const char *path,
                enum image_use use)
{
    *image = (struct image){
        .tool = tool,
        .path = path,
        .section = section,
        .file = open(path, (use == IMAGE_WRITE ? O_RDWR : O_RDONLY) | O_CLOEXEC),
        .measures = use == IMAGE_MEASURE,
    };
    if (image->file < 0)
        return image_complain(image, "%s", strerror(errno));
    elf_version(EV_CURRENT);
    image->elf = elf_begin(image->file, ELF_C_READ, NULL);
    if (!image->elf || elf_kind(image->elf) != ELF_K_ELF || gelf_getclass(image->elf) != ELFCLASS64)
        return image_complain(image, "not a 64-bit ELF file");
    if (is_cut(image))
        return image_complain(image, "is truncated or damaged: link it again");
    return find_parts(image);
}

void image_close(struct image *image)
{
    elf_end(image->elf);
    if (image->file >= 0)
        close(image->file);
}

Elf_Data *image_symtab(const struct image *image, GElf_Shdr *header)
{
    Elf_Scn *section = NULL;

    while ((section = elf_nextscn(image->elf, section)) != NULL)
        if (gelf_getshdr(section, header) && header->sh_type == SHT_SYMTAB)
            return elf_getdata(section, NULL);
    image_complain(image, "no .symtab: do not strip before this tool has run");
    return NULL;
}

bool image_write(const struct image *image, const void *bytes, size_t size)
{
    if (image->measures)
        return printf("%zu\n", size) > 0 && image_flush_output(image);
    if (size > image->reserved_size)
        return image_complain(image, "%s has %zu bytes, the table needs %zu (%#zx): %s",
                              image->section, image->reserved_size, size, size,
                              image->reserved_index
                                  ? "raise the number in the linker script"
                                  : "the room for tables has made the text larger: .data must lie "
                                    "behind it");

    char *content = calloc(1, image->reserved_size);
    if (!content)
        return image_complain(image, "out of memory");
    memcpy(content, bytes, size);
    ssize_t written = pwrite(image->file, content, image->reserved_size, image->reserved_offset);
    free(content);
    if (written < 0 || (size_t)written != image->reserved_size)
        return image_complain(image, "cannot write: %s", strerror(errno));
    return true;
}

bool image_flush_output(const struct image *image)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return true;
    return image_complain(image, "cannot print: %s", strerror(errno));
}
