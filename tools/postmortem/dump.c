/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The memory in a file of QEMU's `dump-guest-memory FILE`: an ELF core file with physical memory as
 * segments, and a note for each CPU with its registers (QEMUCPUState of QEMU's
 * target/i386/arch_dump.c; not documented). Addresses are translated by the page tables of the
 * first CPU's CR3, so nothing is assumed about where the kernel lies. Intel SDM vol. 3, "4-Level
 * Paging and 5-Level Paging". Called by tools/postmortem/main.c.
 */
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <string.h>
#include <unistd.h>

#include "tools/postmortem/memory.h"

#define NOTE_NAME "QEMU"
/* The note: version and size, 32 bits each; 18 general registers, 10 segments, CR0 to CR4. */
#define NOTE_CR0 (8 + 18 * 8 + 10 * 24)
#define NOTE_CR3 (NOTE_CR0 + 3 * 8)
#define NOTE_CR4 (NOTE_CR0 + 4 * 8)
#define NOTE_END (NOTE_CR4 + 8)

#define CR0_PAGING   (UINT64_C(1) << 31)
#define CR4_LA57     (UINT64_C(1) << 12)
#define ENTRY_THERE  UINT64_C(1)
#define ENTRY_LARGE  (UINT64_C(1) << 7)
#define ENTRY_FRAME  UINT64_C(0x000ffffffffff000)
#define LARGEST_LEAF 3 /* highest level with leaves: pages of 1 GiB */

static struct {
    struct memory memory;
    int file;
    Elf *elf;
    size_t segments;
    uint64_t cr0, cr3, cr4;
} dump;

static bool read_physical(uint64_t address, void *to, size_t size)
{
    GElf_Phdr segment;

    for (size_t i = 0; i < dump.segments; i++) {
        if (!gelf_getphdr(dump.elf, (int)i, &segment) || segment.p_type != PT_LOAD ||
            address < segment.p_paddr || address - segment.p_paddr >= segment.p_filesz)
            continue;
        uint64_t offset = address - segment.p_paddr;
        return size <= segment.p_filesz - offset &&
               pread(dump.file, to, size, (off_t)(segment.p_offset + offset)) == (ssize_t)size;
    }
    return false;
}

/*
 * Stores the physical address, and the number of bytes from there to the end of the page. False:
 * the page is not mapped.
 */
static bool translate(uint64_t address, uint64_t *physical, uint64_t *room)
{
    uint64_t entry = dump.cr3;

    for (unsigned level = dump.cr4 & CR4_LA57 ? 5 : 4; level > 0; level--) {
        unsigned shift = 12 + 9 * (level - 1);
        uint64_t inside = (UINT64_C(1) << shift) - 1;
        uint64_t slot = (entry & ENTRY_FRAME) + (address >> shift & 511) * sizeof(entry);

        if (!read_physical(slot, &entry, sizeof(entry)) || !(entry & ENTRY_THERE))
            return false;
        if (level > 1 && !(level <= LARGEST_LEAF && entry & ENTRY_LARGE))
            continue;
        *physical = (entry & ENTRY_FRAME & ~inside) | (address & inside);
        *room = inside + 1 - (address & inside);
        return true;
    }
    return false;
}

static bool dump_read(struct memory *memory, uint64_t address, void *to, size_t size)
{
    (void)memory;
    while (size > 0) {
        uint64_t physical, room;

        if (!translate(address, &physical, &room))
            return false;
        size_t part = size < room ? size : (size_t)room;
        if (!read_physical(physical, to, part))
            return false;
        address += part;
        to = (char *)to + part;
        size -= part;
    }
    return true;
}

/* Takes the registers of the first CPU: the notes are in the order of the CPUs. */
static bool take_registers(Elf_Data *notes)
{
    GElf_Nhdr note;
    size_t name, content;

    for (size_t at = 0; (at = gelf_getnote(notes, at, &note, &name, &content)) > 0;) {
        const char *bytes = notes->d_buf;

        if (note.n_namesz != sizeof(NOTE_NAME) ||
            memcmp(bytes + name, NOTE_NAME, sizeof(NOTE_NAME)) != 0 || note.n_descsz < NOTE_END)
            continue;
        memcpy(&dump.cr0, bytes + content + NOTE_CR0, sizeof(dump.cr0));
        memcpy(&dump.cr3, bytes + content + NOTE_CR3, sizeof(dump.cr3));
        memcpy(&dump.cr4, bytes + content + NOTE_CR4, sizeof(dump.cr4));
        return true;
    }
    return false;
}

static bool find_registers(void)
{
    GElf_Phdr segment;

    for (size_t i = 0; i < dump.segments; i++) {
        if (!gelf_getphdr(dump.elf, (int)i, &segment) || segment.p_type != PT_NOTE)
            continue;
        Elf_Data *notes =
            elf_getdata_rawchunk(dump.elf, (int64_t)segment.p_offset, segment.p_filesz, ELF_T_NHDR);
        if (notes && take_registers(notes))
            return true;
    }
    return false;
}

static bool dump_close(struct memory *memory, bool go_on)
{
    (void)memory;
    (void)go_on;
    elf_end(dump.elf);
    close(dump.file);
    return true;
}

static bool is_dump(const char *path)
{
    static const char wanted[] = "QEMU's `dump-guest-memory FILE` makes one";
    GElf_Ehdr header;

    if (!dump.elf || elf_kind(dump.elf) != ELF_K_ELF)
        return complain(path, "no dump, and no socket of a stub: %s", wanted);
    if (!gelf_getehdr(dump.elf, &header) || header.e_type != ET_CORE)
        return complain(path, "an ELF file, but no dump: %s", wanted);
    if (gelf_getclass(dump.elf) != ELFCLASS64 || header.e_machine != EM_X86_64)
        return complain(path, "a dump of a machine that does not run in 64-bit mode (yet)");
    if (elf_getphdrnum(dump.elf, &dump.segments) != 0 || !find_registers())
        return complain(path, "a core file without QEMU's note of a CPU: %s", wanted);
    if (!(dump.cr0 & CR0_PAGING))
        return complain(path, "a dump of a machine without paging: no kernel runs there (yet)");
    return true;
}

struct memory *dump_open(const char *path)
{
    dump.memory = (struct memory){.path = path, .read = dump_read, .close = dump_close};
    dump.file = open(path, O_RDONLY | O_CLOEXEC);
    if (dump.file < 0) {
        complain(path, "%s", strerror(errno));
        return NULL;
    }
    elf_version(EV_CURRENT);
    dump.elf = elf_begin(dump.file, ELF_C_READ, NULL);
    if (!is_dump(path)) {
        dump_close(&dump.memory, false);
        return NULL;
    }
    return &dump.memory;
}
