/* SPDX-License-Identifier: BSD-2-Clause */
/* See elf_symbols.h. */
#include <gelf.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>

#include "outside/pitot/elf_symbols.h"

/*
 * Linkers write fewer than twenty. Each is compared with each symbol, so a forged file of thousands
 * would take minutes.
 */
#define SEGMENTS_MOST 256
#define LONGEST       (UINT64_C(1) << 46) /* bytes in memory */

struct checked {
    Elf *elf;
    const char *path;
    uint64_t size; /* of the file */
};

static bool holds(const struct checked *file, uint64_t offset, uint64_t size)
{
    return offset <= file->size && size <= file->size - offset;
}

static int refuse_short(const struct checked *file, const char *part, struct refusal *why)
{
    return refuse(why, EINVAL,
                  "%s is truncated or damaged: it ends before its %s; copy or link it again",
                  file->path, part);
}

static int check_tables(const struct checked *file, const GElf_Ehdr *header, struct refusal *why)
{
    uint64_t sections = header->e_shnum ? header->e_shnum : header->e_shoff != 0;

    if (!holds(file, header->e_phoff, (uint64_t)header->e_phnum * header->e_phentsize))
        return refuse_short(file, "program headers", why);
    if (!holds(file, header->e_shoff, sections * header->e_shentsize))
        return refuse_short(file, "section headers", why);
    if (header->e_phnum > SEGMENTS_MOST)
        return refuse(why, EINVAL, "%s has %u program headers; up to %d are allowed", file->path,
                      header->e_phnum, SEGMENTS_MOST);
    return 0;
}

static int check_segment(const struct checked *file, const GElf_Phdr *header, struct refusal *why)
{
    char name[40];

    snprintf(name, sizeof(name), "segment at 0x%" PRIx64, header->p_vaddr);
    if (!holds(file, header->p_offset, header->p_filesz))
        return refuse_short(file, name, why);
    if (header->p_type != PT_LOAD)
        return 0;
    if (header->p_memsz > LONGEST || header->p_memsz > UINT64_MAX - header->p_vaddr)
        return refuse(why, EINVAL, "%s has a %s that is longer than memory; link it again",
                      file->path, name);
    if (header->p_filesz > header->p_memsz)
        return refuse(why, EINVAL,
                      "%s has a %s with more bytes in the file than in memory; link it again",
                      file->path, name);
    return 0;
}

static int check_sections(const struct checked *file, struct refusal *why)
{
    Elf_Scn *section = NULL;
    GElf_Shdr header;
    char name[32];

    while ((section = elf_nextscn(file->elf, section)) != NULL) {
        if (!gelf_getshdr(section, &header) || header.sh_type == SHT_NOBITS ||
            header.sh_type == SHT_NULL || holds(file, header.sh_offset, header.sh_size))
            continue;
        snprintf(name, sizeof(name), "section %zu", elf_ndxscn(section));
        return refuse_short(file, name, why);
    }
    return 0;
}

/*
 * True for what `objcopy --only-keep-debug` and `eu-strip -f` write: code sections without bytes.
 */
static bool has_only_debug(Elf *elf)
{
    Elf_Scn *section = NULL;
    GElf_Shdr header;
    bool empty = false;

    while ((section = elf_nextscn(elf, section)) != NULL) {
        if (!gelf_getshdr(section, &header) || !(header.sh_flags & SHF_EXECINSTR))
            continue;
        if (header.sh_type != SHT_NOBITS)
            return false;
        empty = true;
    }
    return empty;
}

int elf_check(Elf *elf, const char *path, struct refusal *why)
{
    struct checked file = {.elf = elf, .path = path};
    GElf_Ehdr header;
    GElf_Phdr segment;
    size_t size = 0;
    int error;

    if (!gelf_getehdr(elf, &header) || !elf_rawfile(elf, &size))
        return refuse(why, EINVAL, "%s: %s", path, elf_errmsg(-1));
    file.size = size;
    error = check_tables(&file, &header, why);
    if (!error && has_only_debug(elf))
        return refuse(why, EINVAL,
                      "%s has debug information and no code; --kernel ELF names the file that has "
                      "both, or eu-unstrip joins them",
                      path);
    for (int i = 0; i < header.e_phnum && !error; i++)
        error = gelf_getphdr(elf, i, &segment) ? check_segment(&file, &segment, why)
                                               : refuse_short(&file, "program headers", why);
    return error ? error : check_sections(&file, why);
}
