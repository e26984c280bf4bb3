/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The substitute for the kernel's file (kernel.h), and its copy beside a recording. Sources:
 * elf(5), of the format; lseek(2), on holes.
 */
#define _GNU_SOURCE
#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "outside/pitot/elf_symbols.h"
#include "outside/pitot/kernel.h"

#define PAGE  UINT64_C(4096)
#define APART (UINT64_C(16) << 20) /* code further apart is put in two segments */

static uint64_t page_of(uint64_t address)
{
    return address & ~(PAGE - 1);
}

/* --- Segments without a file --- */

/*
 * Returns a segment's end, rounded up to a page: the first symbol above its last function, or, if
 * none is near, the end of that function's page.
 */
static uint64_t end_after(uint64_t last)
{
    uint64_t end = page_of(last) + PAGE;
    struct symbol symbol;
    bool found = false;

    for (size_t i = 0; symbols_by_name(i, &symbol); i++)
        if (symbol.address > last && symbol.address - last <= APART &&
            (!found || symbol.address < end)) {
            end = symbol.address;
            found = true;
        }
    return page_of(end + PAGE - 1);
}

size_t made_elf_segments(struct segment segments[CODE_MOST])
{
    struct symbol symbol;
    uint64_t last = 0;
    size_t count = 0;

    for (size_t i = 0; elf_symbols_function(i, &symbol); i++) {
        if (count == 0 || symbol.address - last > APART) {
            if (count == CODE_MOST)
                return 0;
            segments[count++] = (struct segment){.address = page_of(symbol.address)};
        }
        last = symbol.address;
        segments[count - 1].size = last;
    }
    for (size_t i = 0; i < count; i++)
        segments[i].size = end_after(segments[i].size) - segments[i].address;
    return count;
}

/* --- The file --- */

struct made {
    FILE *file;
    const struct segment *segments;
    const char *bytes;
    size_t count, symbols;
    char *strings;
    size_t strings_size;
    uint64_t symbols_at, strings_at, sections_at, code_at;
};

/* Section names come first in the string table. */
static const char section_names[] = "\0.text\0.symtab\0.strtab\0.text.more";

enum { NAME_TEXT = 1, NAME_SYMTAB = 7, NAME_STRTAB = 15, NAME_MORE = 23 };

static Elf64_Half section_of(const struct made *made, uint64_t address)
{
    for (size_t i = 0; i < made->count; i++)
        if (address - made->segments[i].address < made->segments[i].size)
            return (Elf64_Half)(i + 1);
    return SHN_ABS;
}

/* perf demangles names itself, but not every perf those of Rust since 2021. */
static bool begins_rust(const char *name)
{
    return strncmp(name, "_R", 2) == 0;
}

/* Writes the symbol table. Collects the string table, which follows, in memory. */
static bool write_symbols(struct made *made)
{
    FILE *strings = open_memstream(&made->strings, &made->strings_size);
    Elf64_Sym entry = {0};
    struct symbol symbol;

    if (!strings)
        return false;
    fwrite(section_names, sizeof(section_names), 1, strings);
    fwrite(&entry, sizeof(entry), 1, made->file);
    made->symbols = 1;
    for (size_t i = 0; symbols_by_name(i, &symbol); i++) {
        bool function = symbol.kind == ELF_SYMBOLS_FUNCTION;

        char *readable;

        if (elf_symbols_is_readable(&symbol))
            continue;
        made->symbols++;
        entry = (Elf64_Sym){
            .st_name = (Elf64_Word)ftell(strings),
            .st_info = ELF64_ST_INFO(STB_GLOBAL, function ? STT_FUNC : STT_OBJECT),
            .st_shndx = function ? section_of(made, symbol.address) : SHN_ABS,
            .st_value = symbol.address,
            .st_size = symbol.size,
        };
        readable = begins_rust(symbol.name) ? demangle(symbol.name) : NULL;
        fwrite(&entry, sizeof(entry), 1, made->file);
        fputs(readable ? readable : symbol.name, strings);
        fputc('\0', strings);
        free(readable);
    }
    return fclose(strings) == 0;
}

/*
 * Returns the file offset of a segment's code, even if the file has none. Its offset within a page
 * is the same as in memory.
 */
static uint64_t offset_of(const struct made *made, size_t index)
{
    uint64_t offset = made->code_at;

    for (size_t i = 0; i < index; i++)
        offset += page_of(made->segments[i].size + 2 * PAGE);
    return offset + made->segments[index].address % PAGE;
}

static size_t largest(const struct made *made)
{
    size_t found = 0;

    for (size_t i = 1; i < made->count; i++)
        if (made->segments[i].size > made->segments[found].size)
            found = i;
    return found;
}

/* perf annotate computes all addresses from those of the section .text, so most code is there. */
static void write_sections(const struct made *made)
{
    size_t text = largest(made);
    Elf64_Shdr section = {0};

    fwrite(&section, sizeof(section), 1, made->file);
    for (size_t i = 0; i < made->count; i++) {
        const struct segment *segment = &made->segments[i];
        section = (Elf64_Shdr){.sh_name = i == text ? NAME_TEXT : NAME_MORE,
                               .sh_type = segment->filled ? SHT_PROGBITS : SHT_NOBITS,
                               .sh_flags = SHF_ALLOC | SHF_EXECINSTR,
                               .sh_addr = segment->address,
                               .sh_offset = offset_of(made, i),
                               .sh_size = segment->filled ? segment->filled : segment->size,
                               .sh_addralign = 1};
        fwrite(&section, sizeof(section), 1, made->file);
    }
    section = (Elf64_Shdr){.sh_name = NAME_SYMTAB,
                           .sh_type = SHT_SYMTAB,
                           .sh_offset = made->symbols_at,
                           .sh_size = made->symbols * sizeof(Elf64_Sym),
                           .sh_link = (Elf64_Word)made->count + 2,
                           .sh_info = 1,
                           .sh_addralign = 8,
                           .sh_entsize = sizeof(Elf64_Sym)};
    fwrite(&section, sizeof(section), 1, made->file);
    section = (Elf64_Shdr){.sh_name = NAME_STRTAB,
                           .sh_type = SHT_STRTAB,
                           .sh_offset = made->strings_at,
                           .sh_size = made->strings_size,
                           .sh_addralign = 1};
    fwrite(&section, sizeof(section), 1, made->file);
}

/* kernel.c has checked that the segments lie in the file. */
static void write_code(const struct made *made)
{
    for (size_t i = 0; i < made->count; i++)
        if (made->segments[i].filled) {
            fseek(made->file, (long)offset_of(made, i), SEEK_SET);
            fwrite(made->bytes + made->segments[i].offset, made->segments[i].filled, 1, made->file);
        }
}

static void write_headers(const struct made *made)
{
    Elf64_Ehdr header = {
        .e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
        .e_type = ET_EXEC,
        .e_machine = EM_X86_64,
        .e_version = EV_CURRENT,
        .e_phoff = sizeof(header),
        .e_shoff = made->sections_at,
        .e_ehsize = sizeof(header),
        .e_phentsize = sizeof(Elf64_Phdr),
        .e_phnum = (Elf64_Half)made->count,
        .e_shentsize = sizeof(Elf64_Shdr),
        .e_shnum = (Elf64_Half)(made->count + 3),
        .e_shstrndx = (Elf64_Half)(made->count + 2),
    };

    fseek(made->file, 0, SEEK_SET);
    fwrite(&header, sizeof(header), 1, made->file);
    for (size_t i = 0; i < made->count; i++) {
        const struct segment *segment = &made->segments[i];
        Elf64_Phdr program = {.p_type = PT_LOAD,
                              .p_flags = PF_R | PF_X,
                              .p_offset = offset_of(made, i),
                              .p_vaddr = segment->address,
                              .p_paddr = segment->address,
                              .p_filesz = segment->filled,
                              .p_memsz = segment->size,
                              .p_align = PAGE};
        fwrite(&program, sizeof(program), 1, made->file);
    }
}

int made_elf_write(const struct segment *segments, size_t count, const char *file,
                   struct refusal *why)
{
    int descriptor = memfd_create("pitot-symbols", 0);
    struct made made = {.file = descriptor < 0 ? NULL : fdopen(dup(descriptor), "w"),
                        .segments = segments,
                        .bytes = file,
                        .count = count,
                        .symbols_at = sizeof(Elf64_Ehdr) + count * sizeof(Elf64_Phdr)};

    if (!made.file)
        return refuse(why, errno, "a file of symbols: %s", strerror(errno));
    fseek(made.file, (long)made.symbols_at, SEEK_SET);
    if (write_symbols(&made)) {
        made.strings_at = (uint64_t)ftell(made.file);
        fwrite(made.strings, made.strings_size, 1, made.file);
        made.sections_at = (made.strings_at + made.strings_size + 7) & ~UINT64_C(7);
        made.code_at = page_of(made.sections_at + (count + 3) * sizeof(Elf64_Shdr) + PAGE);
        fseek(made.file, (long)made.sections_at, SEEK_SET);
        write_sections(&made);
        write_code(&made);
        write_headers(&made);
    }
    free(made.strings);
    if (ferror(made.file) | fclose(made.file))
        return refuse(why, errno, "a file of symbols: %s", strerror(errno));
    return descriptor;
}

/* --- The copy, with holes: its segments may be gigabytes apart, as they are in memory --- */

/* Returns 0 or an errno. */
static int copy_sparsely(int from, int to, off_t size)
{
    off_t at = 0;

    while ((at = lseek(from, at, SEEK_DATA)) >= 0) {
        off_t end = lseek(from, at, SEEK_HOLE);

        if (end < 0 || lseek(to, at, SEEK_SET) < 0)
            return errno;
        while (at < end) {
            ssize_t count = sendfile(to, from, &at, (size_t)(end - at));
            if (count <= 0)
                return count < 0 ? errno : EIO;
        }
    }
    return errno != ENXIO || ftruncate(to, size) < 0 ? errno : 0; /* ENXIO: no more parts */
}

int kernel_write_made(const struct kernel *kernel, const struct output *output, int file,
                      struct refusal *why)
{
    struct stat status;
    int error = fstat(kernel->made, &status) < 0
                    ? errno
                    : copy_sparsely(kernel->made, file, status.st_size);

    if (close(file) < 0 && !error)
        error = errno;
    return error ? refuse(why, error, "%s: %s", output->path, strerror(error)) : 0;
}
