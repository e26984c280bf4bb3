/* SPDX-License-Identifier: BSD-2-Clause */
/* See elf.h. Nothing in the file is trusted: tests/fuzz/elf_fuzz.c. */
#include "kernel/user/elf.h"

#include <linux/elf.h>

#include "arch/memory.h"
#include "core/lib/string.h"

static int wrong(struct refusal *why, const char *what)
{
    return refuse(why, ENOEXEC, "not a program: %s", what);
}

static uintptr_t page_of(uintptr_t address)
{
    return address & ~(PAGE_SIZE - 1);
}

static int read_kind(const void *start, size_t length, Elf64_Ehdr *header, struct refusal *why)
{
    if (length < sizeof(*header))
        return wrong(why, "not an ELF file");
    memcpy(header, start, sizeof(*header));
    if (memcmp(header->e_ident, ELFMAG, SELFMAG) != 0)
        return wrong(why, "not an ELF file");
    if (header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_ident[EI_DATA] != ELFDATA2LSB ||
        header->e_machine != EM_X86_64)
        return wrong(why, "not for x86-64");
    return 0;
}

static int check_header(const Elf64_Ehdr *header, size_t length, struct refusal *why)
{
    if (header->e_type != ET_EXEC)
        return wrong(why, "not linked to a fixed address (static, not PIE)");
    if (header->e_phentsize != sizeof(Elf64_Phdr) || header->e_phoff > length ||
        header->e_phnum > (length - header->e_phoff) / sizeof(Elf64_Phdr))
        return wrong(why, "its program headers are not in its first 1024 bytes");
    return 0;
}

static int check_place(const Elf64_Phdr *from, uint64_t file_size, struct refusal *why)
{
    if (from->p_filesz > from->p_memsz || from->p_offset > file_size ||
        from->p_filesz > file_size - from->p_offset)
        return wrong(why, "a segment extends beyond the file");
    if (from->p_vaddr < ARCH_USER_START || from->p_vaddr >= ARCH_USER_END ||
        from->p_memsz > ARCH_USER_END - from->p_vaddr)
        return wrong(why, "a segment is outside the addresses of programs");
    if (from->p_vaddr % PAGE_SIZE != from->p_offset % PAGE_SIZE)
        return wrong(why, "a segment's offset within its page is not the same in the file");
    if (from->p_flags & PF_W && from->p_flags & PF_X)
        return wrong(why, "a segment can be written and executed");
    return 0;
}

static int read_segment(const Elf64_Phdr *from, uint64_t file_size, struct elf_image *image,
                        struct refusal *why)
{
    struct elf_segment *to = &image->segment[image->count];
    int error = check_place(from, file_size, why);

    if (error)
        return error;
    if (image->count == ELF_SEGMENTS)
        return wrong(why, "more than 8 segments");
    *to = (struct elf_segment){.address = from->p_vaddr,
                               .size = from->p_memsz,
                               .offset = from->p_offset,
                               .file_size = from->p_filesz,
                               .access = from->p_flags & PF_W   ? ARCH_PAGE_WRITE
                                         : from->p_flags & PF_X ? ARCH_PAGE_EXECUTE
                                                                : ARCH_PAGE_READ};
    if (image->count > 0 && page_of(to->address) <= page_of(to[-1].address + to[-1].size - 1))
        return wrong(why, "two segments in one page, or not in order");
    image->count++;
    return 0;
}

static int check_image(const struct elf_image *image, struct refusal *why)
{
    size_t size = 0;
    bool executable = false;

    for (unsigned i = 0; i < image->count; i++) {
        const struct elf_segment *segment = &image->segment[i];

        if (segment->size > ELF_MEMORY_MOST - size)
            return wrong(why, "it takes more than 16 MiB");
        size += segment->size;
        executable |= segment->access == ARCH_PAGE_EXECUTE && image->entry >= segment->address &&
                      image->entry - segment->address < segment->size;
    }
    return executable ? 0 : wrong(why, "its entry is in no executable segment");
}

int elf_read(const void *start, size_t length, uint64_t file_size, struct elf_image *image,
             struct refusal *why)
{
    Elf64_Ehdr header = {0};
    int error;

    *image = (struct elf_image){0};
    error = read_kind(start, length, &header, why);
    if (!error)
        error = check_header(&header, length, why);
    for (unsigned i = 0; error == 0 && i < header.e_phnum; i++) {
        Elf64_Phdr program;

        memcpy(&program, (const char *)start + header.e_phoff + i * sizeof(program),
               sizeof(program));
        if (program.p_type == PT_LOAD && program.p_memsz > 0)
            error = read_segment(&program, file_size, image, why);
        else if (program.p_type == PT_INTERP || program.p_type == PT_DYNAMIC)
            error = wrong(why, "it needs a dynamic linker");
    }
    image->entry = header.e_entry;
    return error ? error : check_image(image, why);
}

bool elf_find_sections(const void *start, size_t length, struct elf_sections *sections)
{
    struct refusal why;
    Elf64_Ehdr header = {0};

    if (read_kind(start, length, &header, &why) || header.e_shentsize != sizeof(Elf64_Shdr) ||
        header.e_shstrndx >= header.e_shnum)
        return false;
    *sections = (struct elf_sections){
        .offset = header.e_shoff, .count = header.e_shnum, .names = header.e_shstrndx};
    return true;
}
