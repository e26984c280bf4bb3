/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the kernel reads of a program's file: build id and symbols, once for each build. No file may
 * make it read out of bounds or keep an invalid table.
 *
 * links: tools/symtab/table.c tests/unit/fake_preempt.c
 */
#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "arch/cpu.h"
#include "arch/memory.h"
#include "core/abi/symtab.h"
#include "core/lib/assert.h"
#include "core/lib/refusal.h"
#include "core/symbols/symbols.h"
#include "kernel/hit/program.h"
#include "kernel/memory/pages.h"
#include "tools/symtab/table.h"

#define MAIN  0x401000
#define NAMES "\0.shstrtab\0.note.gnu.build-id\0.symtab_blob"

/* --- The machine. --- */

static uint8_t *file; /* the only file, in memory of exactly its size */
static size_t file_size, file_at;
static bool file_missing, no_memory;
static size_t blocks; /* allocated and not freed */

_Noreturn void assert_failed(const char *claim, const char *where, int line)
{
    mock_assert(0, claim, where, line);
    abort();
}

unsigned arch_cpu_id(void)
{
    return 0;
}

void arch_relax(void)
{
}

int fs_open(const char *path, unsigned flags)
{
    (void)path;
    assert_int_equal(flags, FS_READ);
    file_at = 0;
    return file_missing ? -2 : 3;
}

int fs_close(int fd)
{
    assert_int_equal(fd, 3);
    return 0;
}

int64_t fs_seek(int fd, int64_t offset, enum fs_whence whence)
{
    (void)fd;
    if (whence == FS_SEEK_END)
        offset += (int64_t)file_size;
    else
        assert_int_equal(whence, FS_SEEK_SET);
    if (offset < 0 || offset > FS_SIZE_MAX)
        return -22;
    file_at = (size_t)offset;
    return offset;
}

int64_t fs_read(int fd, void *to, size_t length)
{
    size_t left = file_at < file_size ? file_size - file_at : 0;

    (void)fd;
    length = length < left ? length : left;
    memcpy(to, file + (left ? file_at : 0), length);
    return (int64_t)length;
}

void *pages_alloc(unsigned order)
{
    if (no_memory)
        return NULL;
    blocks++;
    return calloc((size_t)1 << order, PAGE_SIZE);
}

void pages_free(void *start, unsigned order)
{
    (void)order;
    blocks--;
    free(start);
}

/* --- A program's file. --- */

struct layout {
    Elf64_Ehdr header;
    Elf64_Phdr code;
    Elf64_Shdr section[4];
    char names[sizeof(NAMES)];
    _Alignas(8) struct {
        Elf64_Nhdr header;
        char name[4];
        uint8_t id[PROGRAM_BUILD_ID_SIZE];
    } note;
    _Alignas(8) char table[];
};

static struct layout *make_file(uint8_t build)
{
    struct table_symbol list[] = {{.name = "main",
                                   .address = MAIN,
                                   .size = 32,
                                   .section_end = UINT64_MAX,
                                   .code = true,
                                   .global = true,
                                   .kind = 'T'},
                                  {.name = "counter",
                                   .address = 0x403000,
                                   .size = 4,
                                   .section_end = UINT64_MAX,
                                   .global = true,
                                   .kind = 'D'}};
    uint8_t id[PROGRAM_BUILD_ID_SIZE] = {1, build};
    struct table table;
    struct layout *made;

    assert_true(table_build(&table, list, 2, id));
    free(file);
    file_size = sizeof(*made) + table.size;
    made = calloc(1, file_size);
    *made = (struct layout){
        .header = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB},
                   .e_type = ET_EXEC,
                   .e_machine = EM_X86_64,
                   .e_entry = MAIN,
                   .e_phoff = offsetof(struct layout, code),
                   .e_phentsize = sizeof(Elf64_Phdr),
                   .e_phnum = 1,
                   .e_shoff = offsetof(struct layout, section),
                   .e_shentsize = sizeof(Elf64_Shdr),
                   .e_shnum = 4,
                   .e_shstrndx = 1},
        .code = {.p_type = PT_LOAD,
                 .p_flags = PF_R | PF_X,
                 .p_vaddr = MAIN,
                 .p_filesz = sizeof(*made),
                 .p_memsz = sizeof(*made)},
        .section = {[1] = {.sh_name = 1, .sh_offset = offsetof(struct layout, names)},
                    [2] = {.sh_name = 11, .sh_offset = offsetof(struct layout, note)},
                    [3] = {.sh_name = 30,
                           .sh_offset = offsetof(struct layout, table),
                           .sh_size = table.size}},
        .names = NAMES,
        .note = {.header = {4, PROGRAM_BUILD_ID_SIZE, 3}, .name = "GNU"},
    };
    memcpy(made->note.id, id, sizeof(id));
    memcpy(made->table, table.bytes, table.size);
    free(table.bytes);
    file = (uint8_t *)made;
    return made;
}

static unsigned known; /* programs that loading has reported so far */

static const struct program *load(const char *path, struct refusal *why)
{
    const struct program *program = program_load(path, why);

    if (program && program->known.number >= known)
        known = program->known.number + 1;
    return program;
}

static bool knows_main(const struct program *program)
{
    struct symbol symbol;

    return symbol_table_find_address(symbol_table_of(&program->symbols), MAIN + 31, &symbol) &&
           strcmp(symbol.name, "main") == 0;
}

static void a_program_is_known_by_its_build_and_its_symbols(void **state)
{
    const struct program *program, *again, *rebuilt;
    size_t held;

    (void)state;
    make_file(1);
    program = load("/bin/first", NULL);
    assert_non_null(program);
    assert_string_equal(program->path, "/bin/first");
    assert_non_null(program->known.build_id);
    assert_int_equal(program->build_id[1], 1);
    assert_true(knows_main(program));
    assert_int_equal(program->segment_count, 1);
    assert_non_null(program_segment_of(program, MAIN, sizeof(struct layout)));
    assert_null(program_segment_of(program, MAIN, sizeof(struct layout) + 1));
    assert_true(program->segment[0].executable);
    held = blocks;
    again = load("/bin/first", NULL);
    assert_ptr_equal(again, program);
    assert_int_equal(blocks, held);
    make_file(2); /* rewritten: samples of the old one keep their names */
    rebuilt = load("/bin/first", NULL);
    assert_ptr_not_equal(rebuilt, program);
    assert_int_equal(rebuilt->build_id[1], 2);
    assert_true(knows_main(program));
}

static void without_a_sound_table_there_are_no_symbols(void **state)
{
    struct layout *made = make_file(3);
    size_t held = blocks;

    (void)state;
    made->table[0] ^= 1;
    assert_false(knows_main(load("/bin/no-table", NULL)));
    made = make_file(4);
    made->note.header.n_type = 1;
    assert_null(load("/bin/no-id", NULL)->known.build_id);
    made = make_file(5);
    made->header.e_ident[0] = '#';
    assert_null(load("/bin/script", NULL)->known.build_id);
    made = make_file(6);
    made->section[3].sh_size--;
    assert_false(knows_main(load("/bin/cut", NULL)));
    assert_int_equal(blocks, held);
}

static void what_cannot_be_read_is_refused(void **state)
{
    struct refusal why;

    (void)state;
    file_missing = true;
    assert_null(load("/bin/none", &why));
    assert_string_equal(why.text, "/bin/none cannot be read; `run` lists the programs");
    file_missing = false;
    no_memory = true;
    assert_null(load("/bin/first", &why));
    no_memory = false;
}

/* Every byte of the file is changed, and every length of it tried. */
static void no_file_makes_it_read_outside(void **state)
{
    size_t held, whole, room;

    (void)state;
    make_file(7);
    whole = file_size;
    held = blocks;
    room = PROGRAMS_MAX - known;
    for (size_t at = 0; at < whole; at++) {
        make_file(7);
        file[at] ^= (uint8_t)(1 << at % 8);
        load("/bin/damaged", NULL);
        file[at] ^= (uint8_t)(1 << at % 8 | 0x80);
        load("/bin/damaged", NULL);
    }
    for (size_t length = 0; length < whole; length++) {
        uint8_t *cut;

        make_file(7);
        cut = malloc(length + 1);
        memcpy(cut, file, length);
        free(file);
        file = cut;
        file_size = length;
        load("/bin/damaged", NULL);
    }
    assert_in_range(blocks, held, held + room);
}

static void there_is_room_for_so_many(void **state)
{
    struct refusal why;
    char path[32];

    (void)state;
    for (unsigned i = 0; i < PROGRAMS_MAX; i++) {
        make_file((uint8_t)(100 + i));
        snprintf(path, sizeof(path), "/bin/program-%u", i);
        load(path, NULL);
    }
    assert_int_equal(known, PROGRAMS_MAX);
    make_file(99);
    assert_null(load("/bin/one-more", &why));
    assert_non_null(strstr(why.text, "/bin/one-more: 32 programs are known already"));
    make_file(1);
    assert_non_null(load("/bin/first", &why));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_program_is_known_by_its_build_and_its_symbols),
        cmocka_unit_test(without_a_sound_table_there_are_no_symbols),
        cmocka_unit_test(what_cannot_be_read_is_refused),
        cmocka_unit_test(no_file_makes_it_read_outside),
        cmocka_unit_test(there_is_room_for_so_many),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
