/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * See program.h. The file is not trusted: every number is checked, and a short read ends the
 * parsing. Task context; lookups in any context.
 */
#include "kernel/hit/program.h"

#include <linux/elf.h>
#include <linux/errno.h>
#include <stddef.h>

#include "arch/memory.h"
#include "core/lib/print.h"
#include "core/lib/refusal.h"
#include "core/lib/string.h"
#include "kernel/lock/spinlock.h"
#include "kernel/memory/pages.h"
#include "kernel/user/elf.h"

#define SECTIONS_MAX  32
#define TABLE_MAX     (1u << 20)
#define NOTE_BUILD_ID 3 /* NT_GNU_BUILD_ID, which linux/elf.h lacks */

/* An entry is complete before the count includes it. */
static struct program programs[PROGRAMS_MAX];
static uint64_t count;
static struct spinlock lock = {.name = "programs"};

struct elf {
    int fd;
    unsigned section_count;
    uint64_t names; /* offset of the sections' names in the file */
    struct elf_start start;
    Elf64_Shdr sections[SECTIONS_MAX];
};

_Static_assert(sizeof(struct elf) <= PAGE_SIZE, "it has a page to itself");

static bool read_at(int fd, uint64_t offset, void *to, size_t length)
{
    return elf_file_read(fd, offset, to, length) == 0;
}

static void read_segments(const struct elf *elf, struct program *program)
{
    const struct elf_start *start = &elf->start;
    struct elf_image image;
    struct refusal why;

    if (elf_read(start->bytes, start->length, start->file_size, &image, &why))
        return;
    for (unsigned i = 0; i < image.count; i++) {
        const struct elf_segment *from = &image.segment[i];

        program->segment[i] = (struct program_segment){from->address, from->address + from->size,
                                                       from->access == ARCH_PAGE_EXECUTE};
    }
    program->segment_count = image.count;
}

static bool read_sections(struct elf *elf)
{
    struct elf_sections sections;

    if (!elf_find_sections(elf->start.bytes, elf->start.length, &sections) ||
        sections.count > SECTIONS_MAX ||
        !read_at(elf->fd, sections.offset, elf->sections, sections.count * sizeof(*elf->sections)))
        return false;
    elf->section_count = sections.count;
    elf->names = elf->sections[sections.names].sh_offset;
    return true;
}

static const Elf64_Shdr *find_section(const struct elf *elf, const char *name)
{
    char found[24];
    size_t length = strlen(name) + 1;

    for (unsigned i = 0; i < elf->section_count; i++)
        if (read_at(elf->fd, elf->names + elf->sections[i].sh_name, found, length) &&
            memcmp(found, name, length) == 0)
            return &elf->sections[i];
    return NULL;
}

static void read_build_id(const struct elf *elf, struct program *program)
{
    const Elf64_Shdr *section = find_section(elf, ".note.gnu.build-id");
    struct {
        Elf64_Nhdr header;
        char name[4];
        uint8_t build_id[PROGRAM_BUILD_ID_SIZE];
    } note;

    if (section && read_at(elf->fd, section->sh_offset, &note, sizeof(note)) &&
        note.header.n_type == NOTE_BUILD_ID && note.header.n_namesz == sizeof(note.name) &&
        memcmp(note.name, "GNU", sizeof(note.name)) == 0 &&
        note.header.n_descsz == sizeof(note.build_id))
        memcpy(program->build_id, note.build_id, sizeof(note.build_id));
}

/* Reads the symbol table into a new block, program->table, and returns that block's order. */
static unsigned read_symbols(const struct elf *elf, struct program *program)
{
    const Elf64_Shdr *section = find_section(elf, ".symtab_blob");
    uint64_t head[PITOT_SYMBOLS_HEAD / sizeof(uint64_t)];
    unsigned long size = 0;
    unsigned order;
    void *table;

    if (section && read_at(elf->fd, section->sh_offset, head, sizeof(head)))
        size = pitot_symbols_size(head);
    if (size == 0 || size > section->sh_size || size > TABLE_MAX)
        return 0;
    order = pages_order((size + PAGE_SIZE - 1) / PAGE_SIZE);
    table = pages_alloc(order);
    if (!table)
        return 0;
    if (read_at(elf->fd, section->sh_offset, table, size) &&
        !pitot_symbols_open(&program->symbols, table, size, program->build_id))
        program->table = table;
    else
        pages_free(table, order);
    return order;
}

static bool program_equal(const struct program *left, const struct program *right)
{
    return strcmp(left->path, right->path) == 0 &&
           memcmp(left->build_id, right->build_id, PROGRAM_BUILD_ID_SIZE) == 0;
}

static void program_make_known(struct program *program)
{
    static const uint8_t none[PROGRAM_BUILD_ID_SIZE];
    bool has_id = memcmp(program->build_id, none, sizeof(none)) != 0;

    program->known = (struct pitot_program){.path = program->path,
                                            .build_id = has_id ? program->build_id : NULL,
                                            .symbols = &program->symbols,
                                            .number = (unsigned)(program - programs)};
}

/* Returns the equal program that is known already, or a copy of `fresh`; NULL: no room. */
static const struct program *program_keep(const struct program *fresh)
{
    const struct program *kept = NULL;

    spinlock_acquire(&lock);
    for (unsigned i = 0; i < count && !kept; i++)
        if (program_equal(&programs[i], fresh))
            kept = &programs[i];
    if (!kept && count < PROGRAMS_MAX) {
        programs[count] = *fresh;
        program_make_known(&programs[count]);
        kept = &programs[count];
        publish_store(&count, count + 1);
    }
    spinlock_release(&lock);
    return kept;
}

static const struct program *program_read(struct elf *elf, const char *path, struct refusal *why)
{
    struct program fresh = {.path = ""};
    const struct program *kept;
    unsigned order = 0;

    print_into(fresh.path, sizeof(fresh.path), "%s", path);
    if (elf_file_start(elf->fd, &elf->start) == 0 && read_sections(elf)) {
        read_build_id(elf, &fresh);
        read_segments(elf, &fresh);
        order = read_symbols(elf, &fresh);
    }
    kept = program_keep(&fresh);
    if (fresh.table && (!kept || kept->table != fresh.table))
        pages_free(fresh.table, order);
    if (!kept)
        refuse(why, ENOSPC, "%s: %d programs are known already, more have no names", path,
               PROGRAMS_MAX);
    return kept;
}

const struct program *program_load(const char *path, struct refusal *why)
{
    struct elf *elf = pages_alloc(0);
    int fd = elf ? fs_open(path, FS_READ) : -ENOMEM;
    const struct program *program = NULL;

    if (fd >= 0) {
        elf->fd = fd;
        program = program_read(elf, path, why);
        fs_close(fd);
    } else {
        refuse(why, -fd, "%s cannot be read; `run` lists the programs", path);
    }
    if (elf)
        pages_free(elf, 0);
    return program;
}

const struct program_segment *program_segment_of(const struct program *program, uintptr_t address,
                                                 size_t length)
{
    for (unsigned i = 0; i < program->segment_count; i++) {
        const struct program_segment *segment = &program->segment[i];

        if (address >= segment->start && address < segment->end && length <= segment->end - address)
            return segment;
    }
    return NULL;
}
