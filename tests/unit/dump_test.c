/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Addresses in a dump (tools/postmortem/dump.c): pages of all three sizes, reads across two pages
 * whose frames are not adjacent, and addresses that are not mapped or not in the file. The test
 * makes the dump, a few pages of physical memory.
 *
 * libs: -lelf
 */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>
#include <elf.h>

#include "tools/postmortem/memory.h"

#define PAGE  4096u
#define PAGES 8u /* of physical memory, from 0 */
#define BASE  UINT64_C(0xffff800000000000)

/* Entries: present; a larger page. */
#define THERE UINT64_C(1)
#define LARGE UINT64_C(0x81)

/* The number of each page. */
enum { ROOT = 1, DIRECTORIES, DIRECTORY, TABLE, FIRST, BETWEEN, SECOND };

static struct {
    Elf64_Ehdr header;
    Elf64_Phdr notes, memory;
    struct {
        Elf64_Nhdr header;
        char name[8];
        uint8_t registers[440]; /* QEMUCPUState */
    } note;
    uint64_t physical[PAGES][PAGE / 8];
} file;

bool complain(const char *path, const char *format, ...)
{
    (void)path;
    (void)format;
    return false;
}

static void set_register(size_t offset, uint64_t value)
{
    memcpy(file.note.registers + offset, &value, sizeof(value));
}

static void make_dump(void)
{
    memset(&file, 0, sizeof(file));
    memcpy(file.header.e_ident, ELFMAG, SELFMAG);
    file.header.e_ident[EI_CLASS] = ELFCLASS64;
    file.header.e_ident[EI_DATA] = ELFDATA2LSB;
    file.header.e_ident[EI_VERSION] = EV_CURRENT;
    file.header.e_type = ET_CORE;
    file.header.e_machine = EM_X86_64;
    file.header.e_version = EV_CURRENT;
    file.header.e_phoff = sizeof(file.header);
    file.header.e_ehsize = sizeof(file.header);
    file.header.e_phentsize = sizeof(file.notes);
    file.header.e_phnum = 2;
    file.notes = (Elf64_Phdr){
        .p_type = PT_NOTE, .p_offset = offsetof(__typeof__(file), note), .p_filesz = 460};
    file.memory = (Elf64_Phdr){.p_type = PT_LOAD,
                               .p_offset = offsetof(__typeof__(file), physical),
                               .p_filesz = sizeof(file.physical),
                               .p_memsz = sizeof(file.physical)};
    file.note.header = (Elf64_Nhdr){.n_namesz = 5, .n_descsz = sizeof(file.note.registers)};
    memcpy(file.note.name, "QEMU", 5);
    set_register(392, 0x80000001);  /* CR0: paging */
    set_register(416, ROOT * PAGE); /* CR3 */
    file.physical[ROOT][256] = DIRECTORIES * PAGE | THERE;
    file.physical[DIRECTORIES][0] = DIRECTORY * PAGE | THERE;
    file.physical[DIRECTORIES][1] = LARGE; /* 1 GiB from 0 */
    file.physical[DIRECTORY][0] = TABLE * PAGE | THERE;
    file.physical[DIRECTORY][1] = LARGE; /* 2 MiB from 0 */
    file.physical[TABLE][0] = FIRST * PAGE | THERE;
    file.physical[TABLE][1] = SECOND * PAGE | THERE;
    for (unsigned i = 0; i < PAGE / 8; i++) {
        file.physical[FIRST][i] = i;
        file.physical[SECOND][i] = 1000 + i;
    }
}

static struct memory *open_dump(void)
{
    char path[32];
    int to = memfd_create("dump", 0);

    assert_true(to >= 0);
    assert_int_equal(write(to, &file, sizeof(file)), sizeof(file));
    snprintf(path, sizeof(path), "/proc/self/fd/%d", to);
    struct memory *memory = dump_open(path);
    close(to);
    return memory;
}

static uint64_t word_at(struct memory *memory, uint64_t address)
{
    uint64_t word = 0;

    assert_true(memory->read(memory, address, &word, sizeof(word)));
    return word;
}

static void pages_of_all_sizes_are_found(void **state)
{
    struct memory *memory;

    (void)state;
    make_dump();
    memory = open_dump();
    assert_non_null(memory);
    assert_int_equal(word_at(memory, BASE + 8), 1);
    assert_int_equal(word_at(memory, BASE + PAGE + 16), 1002);
    assert_int_equal(word_at(memory, BASE + (1 << 21) + FIRST * PAGE + 24), 3);
    assert_int_equal(word_at(memory, BASE + (1 << 30) + SECOND * PAGE + 32), 1004);
    memory->close(memory, false);
}

static void a_read_goes_over_pages(void **state)
{
    struct memory *memory;
    uint64_t words[4];

    (void)state;
    make_dump();
    memory = open_dump();
    assert_non_null(memory);
    assert_true(memory->read(memory, BASE + PAGE - 16, words, sizeof(words)));
    assert_int_equal(words[1], PAGE / 8 - 1);
    assert_int_equal(words[2], 1000);
    memory->close(memory, false);
}

static void what_is_not_there_is_not_read(void **state)
{
    struct memory *memory;
    uint64_t word;

    (void)state;
    make_dump();
    memory = open_dump();
    assert_non_null(memory);
    assert_false(memory->read(memory, BASE + 2 * PAGE, &word, sizeof(word)));
    assert_false(memory->read(memory, BASE + 2 * PAGE - 4, &word, sizeof(word)));
    assert_false(memory->read(memory, 0, &word, sizeof(word)));
    assert_false(memory->read(memory, BASE + (1 << 21) + PAGES * PAGE, &word, sizeof(word)));
    assert_false(memory->read(memory, BASE + (1 << 21) + PAGES * PAGE - 4, &word, sizeof(word)));
    memory->close(memory, false);
}

static void other_files_are_refused(void **state)
{
    (void)state;
    make_dump();
    set_register(392, 1); /* no paging */
    assert_null(open_dump());
    make_dump();
    file.header.e_type = ET_EXEC;
    assert_null(open_dump());
    make_dump();
    file.note.name[0] = 'X';
    assert_null(open_dump());
    make_dump();
    file.header.e_machine = EM_AARCH64;
    assert_null(open_dump());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pages_of_all_sizes_are_found),
        cmocka_unit_test(a_read_goes_over_pages),
        cmocka_unit_test(what_is_not_there_is_not_read),
        cmocka_unit_test(other_files_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
