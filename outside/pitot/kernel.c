/* SPDX-License-Identifier: BSD-2-Clause */
/* See kernel.h. */
#include "outside/pitot/kernel.h"

#include <errno.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "outside/pitot/elf_symbols.h"
#include "outside/pitot/files.h"
#include "outside/pitot/plain.h"

#define CODE_TO_PAIR 1000 /* 64-bit code has more than one pair (is_long_code) in this many bytes */

#define NARROW_TOP 0x80000000 /* addresses from here on have lost their upper 32 bits, all 1 */

static bool is_narrow(Elf *elf)
{
    return gelf_getclass(elf) == ELFCLASS32;
}

static uint64_t whole_address(uint64_t value)
{
    return value;
}

/*
 * Restores the upper 32 bits: kernel code is compiled for the upper 2 GiB, whose addresses are
 * sign-extended.
 */
static uint64_t narrow_address(uint64_t value)
{
    return value >= NARROW_TOP && value <= UINT32_MAX ? (uint64_t)(int32_t)value : value;
}

static int check_header(const struct kernel *kernel, Elf *elf, struct refusal *why)
{
    GElf_Ehdr header;

    if (elf_kind(elf) != ELF_K_ELF || !gelf_getehdr(elf, &header))
        return refuse(
            why, EINVAL,
            "%s is not an ELF file; --kernel ELF names the kernel's, --symbols FILE what nm "
            "prints of it",
            kernel->path);
    if (header.e_machine != EM_X86_64 && (header.e_machine != EM_386 || !is_narrow(elf)))
        return refuse(why, EINVAL,
                      "%s is for another architecture (ELF machine %u); x86-64 is supported",
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
        if (kernel->segment_count == CODE_MOST)
            return refuse(why, EINVAL, "%s has more than %u executable segments", kernel->path,
                          CODE_MOST);
        kernel->code[kernel->segment_count++] =
            (struct segment){is_narrow(elf) ? narrow_address(header.p_vaddr) : header.p_vaddr,
                             header.p_memsz, header.p_offset, header.p_filesz};
    }
    if (kernel->segment_count == 0)
        return refuse(why, EINVAL, "%s has no executable segment: it is not a linked kernel",
                      kernel->path);
    return 0;
}

/*
 * Writes a substitute ELF file with the symbols and segments read so far, and reads its segments.
 */
static int make_elf(struct kernel *kernel, const char *bytes, struct refusal *why)
{
    int error;
    Elf *elf;

    kernel->made = made_elf_write(kernel->code, kernel->segment_count, bytes, why);
    if (kernel->made < 0)
        return kernel->made;
    kernel->segment_count = 0;
    elf = elf_begin(kernel->made, ELF_C_READ, NULL);
    error = read_segments(kernel, elf, why);
    elf_end(elf);
    return error;
}

/*
 * 64-bit code has a pair of a REX.W prefix (0x48) and an opcode such as mov every few instructions.
 * In 32-bit code 0x48 is dec eax, which such an opcode rarely follows.
 */
static bool is_long_code(const struct kernel *kernel, const char *bytes)
{
    uint64_t pairs = 0, all = 0;

    for (size_t i = 0; i < kernel->segment_count; i++) {
        const struct segment *segment = &kernel->code[i];

        all += segment->filled;
        for (uint64_t at = 0; at + 1 < segment->filled; at++) {
            const char *pair = bytes + segment->offset + at;
            pairs += pair[0] == 0x48 && strchr("\x89\x8b\x8d\x83\xc7", pair[1]) && pair[1];
        }
    }
    return pairs > all / CODE_TO_PAIR;
}

static int widen(struct kernel *kernel, Elf *elf, struct refusal *why)
{
    const char *bytes = elf_rawfile(elf, NULL);

    if (!bytes || !is_long_code(kernel, bytes))
        return refuse(why, EINVAL,
                      "%s is a 32-bit ELF file; --kernel ELF names the 64-bit kernel's",
                      kernel->path);
    kernel->stripped = !elf_symbols_read(elf, narrow_address);
    return make_elf(kernel, bytes, why);
}

/* True if that range of the file contains code. */
static bool is_code(const struct kernel *kernel, uint64_t offset, uint64_t size)
{
    for (size_t i = 0; i < kernel->segment_count; i++) {
        const struct segment *segment = &kernel->code[i];

        if (offset < segment->offset + segment->filled && offset + size > segment->offset)
            return true;
    }
    return false;
}

/*
 * True if perf would take code for a variable. perf identifies a variable by its offset in the
 * file, even if the file has no bytes for it; if code follows the variable's segment, the code may
 * be at that offset.
 */
static bool hides_code(const struct kernel *kernel, Elf *elf)
{
    struct symbol symbol;
    GElf_Phdr header;
    size_t count = 0;

    elf_getphdrnum(elf, &count);
    for (size_t i = 0; i < count; i++) {
        if (!gelf_getphdr(elf, (int)i, &header) || header.p_type != PT_LOAD ||
            !is_code(kernel, header.p_offset + header.p_filesz, header.p_memsz - header.p_filesz))
            continue;
        for (size_t k = 0; symbols_by_name(k, &symbol); k++) {
            uint64_t within = symbol.address - header.p_vaddr;

            if (symbol.size > 0 && within >= header.p_filesz && within < header.p_memsz &&
                is_code(kernel, header.p_offset + within, symbol.size))
                return true;
        }
    }
    return false;
}

static int read_whole(struct kernel *kernel, Elf *elf, struct refusal *why)
{
    const char *bytes = elf_rawfile(elf, NULL);

    kernel->stripped = !elf_symbols_read(elf, whole_address);
    if (!bytes || (!elf_symbols_lacking_in_perf() && !hides_code(kernel, elf)))
        return 0;
    return make_elf(kernel, bytes, why);
}

static int read_elf(struct kernel *kernel, int file, struct refusal *why)
{
    Elf *elf = elf_begin(file, ELF_C_READ, NULL);
    int error = check_header(kernel, elf, why);

    if (!error)
        error = elf_check(elf, kernel->path, why);
    if (!error)
        error = read_segments(kernel, elf, why);
    if (!error && is_narrow(elf))
        error = widen(kernel, elf, why);
    else if (!error)
        error = read_whole(kernel, elf, why);
    elf_end(elf);
    return error;
}

static int read_list(struct kernel *kernel, struct refusal *why)
{
    int error = symbol_list_read(kernel->path, why);

    if (error)
        return error;
    kernel->segment_count = made_elf_segments(kernel->code);
    if (kernel->segment_count == 0)
        return refuse(why, EINVAL, "%s has no functions, or they lie in more than %u places",
                      kernel->path, CODE_MOST);
    return make_elf(kernel, NULL, why);
}

int kernel_open(struct kernel *kernel, const char *path, bool listed, struct refusal *why)
{
    int file, error;

    *kernel = (struct kernel){.made = -1};
    elf_version(EV_CURRENT);
    if (!realpath(path, kernel->path)) {
        /* What the shell makes of <(nm k) can be opened, but has no other path. */
        if (!listed || access(path, R_OK) < 0 || strlen(path) >= sizeof(kernel->path))
            return refuse(why, errno, "%s: %s", path, strerror(errno));
        strcpy(kernel->path, path);
    }
    kernel->name =
        plain_text(strrchr(kernel->path, '/') ? strrchr(kernel->path, '/') + 1 : kernel->path);
    if (!kernel->name)
        return refuse(why, ENOMEM, "out of memory");
    if (listed)
        return read_list(kernel, why);
    file = input_open_file(kernel->path, "--kernel ELF names a file", why);
    if (file < 0)
        return file;
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
