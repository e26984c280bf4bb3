/* SPDX-License-Identifier: BSD-2-Clause */
/* See kernel.h. */
#include "outside/pitot/kernel.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "outside/pitot/elf_symbols.h"

static int check_header(const struct kernel *kernel, Elf *elf, struct refusal *why)
{
    GElf_Ehdr header;

    if (elf_kind(elf) != ELF_K_ELF || !gelf_getehdr(elf, &header))
        return refuse(why, EINVAL, "%s is no ELF file; --kernel ELF names the kernel's",
                      kernel->path);
    if (gelf_getclass(elf) == ELFCLASS32)
        return refuse(why, EINVAL,
                      "%s is a 32-bit ELF file; --kernel ELF names the 64-bit kernel's",
                      kernel->path);
    if (header.e_machine != EM_X86_64)
        return refuse(why, EINVAL,
                      "%s is for another architecture (ELF machine %u); x86-64 is possible",
                      kernel->path, header.e_machine);
    return 0;
}

static void read_build_id(struct kernel *kernel, Elf *elf, const GElf_Phdr *notes)
{
    Elf_Data *data = elf_getdata_rawchunk(elf, (int64_t)notes->p_offset, notes->p_filesz,
                                          notes->p_align == 8 ? ELF_T_NHDR8 : ELF_T_NHDR);
    size_t at = 0, name, content;
    GElf_Nhdr note;

    while (data && (at = gelf_getnote(data, at, &note, &name, &content)) > 0) {
        const char *bytes = data->d_buf;
        if (note.n_type != NT_GNU_BUILD_ID || note.n_namesz != sizeof("GNU") ||
            memcmp(bytes + name, "GNU", sizeof("GNU")) != 0 || note.n_descsz == 0 ||
            note.n_descsz > KERNEL_BUILD_ID_MAX)
            continue;
        kernel->build_id_size = note.n_descsz;
        memcpy(kernel->build_id, bytes + content, note.n_descsz);
    }
}

static int read_segments(struct kernel *kernel, Elf *elf, struct refusal *why)
{
    size_t count = 0;
    GElf_Phdr header;

    elf_getphdrnum(elf, &count);
    for (size_t i = 0; i < count; i++) {
        if (!gelf_getphdr(elf, (int)i, &header))
            continue;
        if (header.p_type == PT_NOTE)
            read_build_id(kernel, elf, &header);
        if (header.p_type != PT_LOAD || !(header.p_flags & PF_X) || header.p_memsz == 0)
            continue;
        if (kernel->segment_count == KERNEL_SEGMENTS_MAX)
            return refuse(why, EINVAL, "%s has more than %d executable segments", kernel->path,
                          KERNEL_SEGMENTS_MAX);
        kernel->code[kernel->segment_count++] =
            (struct segment){header.p_vaddr, header.p_memsz, header.p_offset, header.p_filesz};
    }
    if (kernel->segment_count == 0)
        return refuse(why, EINVAL, "%s has no executable segment: it is not a linked kernel",
                      kernel->path);
    return 0;
}

static int read_elf(struct kernel *kernel, int file, struct refusal *why)
{
    Elf *elf;
    int error;

    elf_version(EV_CURRENT);
    elf = elf_begin(file, ELF_C_READ, NULL);
    error = check_header(kernel, elf, why);
    if (!error)
        error = read_segments(kernel, elf, why);
    if (!error)
        kernel->stripped = !elf_symbols_read(elf);
    elf_end(elf);
    return error;
}

int kernel_open(struct kernel *kernel, const char *path, struct refusal *why)
{
    int file, error;

    *kernel = (struct kernel){.segment_count = 0};
    if (!realpath(path, kernel->path))
        return refuse(why, errno, "%s: %s", path, strerror(errno));
    kernel->name = strrchr(kernel->path, '/') + 1;
    file = open(kernel->path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return refuse(why, errno, "%s: %s", path, strerror(errno));
    error = read_elf(kernel, file, why);
    close(file);
    return error;
}

static bool is_high(const struct segment *segment)
{
    return segment->address >> 63;
}

bool kernel_is_text(const struct kernel *kernel, const struct segment *segment)
{
    bool high = false;

    for (size_t i = 0; i < kernel->segment_count; i++)
        high = high || is_high(&kernel->code[i]);
    return is_high(segment) == high;
}

struct segment kernel_text(const struct kernel *kernel)
{
    uint64_t first = UINT64_MAX, end = 0;

    for (size_t i = 0; i < kernel->segment_count; i++) {
        const struct segment *segment = &kernel->code[i];

        if (!kernel_is_text(kernel, segment))
            continue;
        if (segment->address < first)
            first = segment->address;
        if (segment->address + segment->size > end)
            end = segment->address + segment->size;
    }
    return (struct segment){.address = first, .size = end - first};
}
