/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A program's headers: the segments of valid ones, and the reason why each invalid one is refused
 * (kernel/user/elf.h).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <linux/elf.h>
#include <string.h>

#include "arch/memory.h"
#include "kernel/user/elf.h"

#define FILE_SIZE 0x3000
#define TEXT      0x400000
#define DATA      0x402000

static struct {
    Elf64_Ehdr header;
    Elf64_Phdr segment[2];
} file;

static struct elf_image image;
static struct refusal why;

static int make_good(void **state)
{
    (void)state;
    memset(&file, 0, sizeof(file));
    memcpy(file.header.e_ident, ELFMAG, SELFMAG);
    file.header.e_ident[EI_CLASS] = ELFCLASS64;
    file.header.e_ident[EI_DATA] = ELFDATA2LSB;
    file.header.e_type = ET_EXEC;
    file.header.e_machine = EM_X86_64;
    file.header.e_entry = TEXT + 0x100;
    file.header.e_phoff = sizeof(file.header);
    file.header.e_phentsize = sizeof(Elf64_Phdr);
    file.header.e_phnum = 2;
    file.segment[0] = (Elf64_Phdr){.p_type = PT_LOAD,
                                   .p_flags = PF_R | PF_X,
                                   .p_vaddr = TEXT,
                                   .p_filesz = 0x1234,
                                   .p_memsz = 0x1234};
    file.segment[1] = (Elf64_Phdr){.p_type = PT_LOAD,
                                   .p_flags = PF_R | PF_W,
                                   .p_offset = 0x2010,
                                   .p_vaddr = DATA + 0x10,
                                   .p_filesz = 0x20,
                                   .p_memsz = 0x4000};
    return 0;
}

static int read_file(void)
{
    return elf_read(&file, sizeof(file), FILE_SIZE, &image, &why);
}

/* One test: the file is refused for this reason. */
#define assert_refused(reason)                                                                     \
    do {                                                                                           \
        assert_int_equal(read_file(), -ENOEXEC);                                                   \
        assert_string_equal(why.text, "not a program: " reason);                                   \
    } while (0)

static void test_a_good_file_is_read(void **state)
{
    (void)state;
    assert_int_equal(read_file(), 0);
    assert_int_equal(image.entry, TEXT + 0x100);
    assert_int_equal(image.count, 2);
    assert_int_equal(image.segment[0].address, TEXT);
    assert_int_equal(image.segment[0].access, ARCH_PAGE_EXECUTE);
    assert_int_equal(image.segment[1].address, DATA + 0x10);
    assert_int_equal(image.segment[1].offset, 0x2010);
    assert_int_equal(image.segment[1].file_size, 0x20);
    assert_int_equal(image.segment[1].size, 0x4000);
    assert_int_equal(image.segment[1].access, ARCH_PAGE_WRITE);
}

static void test_what_is_no_program_of_this_machine(void **state)
{
    file.header.e_ident[1] = 'F';
    assert_refused("not an ELF file");
    assert_int_equal(elf_read(&file, 20, FILE_SIZE, &image, &why), -ENOEXEC);
    make_good(state);
    file.header.e_machine = EM_386;
    assert_refused("not for x86-64");
    make_good(state);
    file.header.e_type = ET_DYN;
    assert_refused("not linked to a fixed address (static, not PIE)");
    make_good(state);
    file.segment[0].p_type = PT_INTERP;
    assert_refused("it needs a dynamic linker");
}

static void test_headers_lie_in_what_was_read(void **state)
{
    file.header.e_phnum = 3;
    assert_refused("its program headers are not in its first 1024 bytes");
    make_good(state);
    file.header.e_phoff = UINT64_MAX - 8;
    assert_refused("its program headers are not in its first 1024 bytes");
    make_good(state);
    file.header.e_phentsize = 32;
    assert_refused("its program headers are not in its first 1024 bytes");
}

static void test_segments_lie_in_the_file(void **state)
{
    file.segment[1].p_filesz = FILE_SIZE - 0x2010 + 1;
    assert_refused("a segment extends beyond the file");
    make_good(state);
    file.segment[1].p_offset = UINT64_MAX & ~0xfefull;
    assert_refused("a segment extends beyond the file");
    make_good(state);
    file.segment[1].p_memsz = 0x1f;
    assert_refused("a segment extends beyond the file");
}

static void test_segments_lie_in_a_programs_memory(void **state)
{
    file.segment[1].p_vaddr = 0x10;
    assert_refused("a segment is outside the addresses of programs");
    file.segment[1].p_vaddr = 0xffffffff80000010;
    assert_refused("a segment is outside the addresses of programs");
    file.segment[1].p_vaddr = ARCH_USER_END - 0x3ff0;
    assert_refused("a segment is outside the addresses of programs");
    file.segment[1].p_memsz = UINT64_MAX - 0x100;
    assert_refused("a segment is outside the addresses of programs");
    make_good(state);
    file.segment[1].p_vaddr++;
    assert_refused("a segment's offset within its page is not the same in the file");
    make_good(state);
    file.segment[1].p_memsz = ELF_MEMORY_MOST;
    assert_refused("it takes more than 16 MiB");
}

static void test_rights_are_apart(void **state)
{
    file.segment[1].p_flags |= PF_X;
    assert_refused("a segment can be written and executed");
    make_good(state);
    file.segment[1].p_vaddr = TEXT + 0x1010;
    assert_refused("two segments in one page, or not in order");
    make_good(state);
    file.header.e_entry = DATA + 0x20;
    assert_refused("its entry is in no executable segment");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_a_good_file_is_read, make_good),
        cmocka_unit_test_setup(test_what_is_no_program_of_this_machine, make_good),
        cmocka_unit_test_setup(test_headers_lie_in_what_was_read, make_good),
        cmocka_unit_test_setup(test_segments_lie_in_the_file, make_good),
        cmocka_unit_test_setup(test_segments_lie_in_a_programs_memory, make_good),
        cmocka_unit_test_setup(test_rights_are_apart, make_good),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
