/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tools/symtab: which name an address gets (as in perf, docs/unwinding.md), and how the table is
 * written into a file, here this test's own program.
 *
 * links: tools/symtab/table.c
 * libs: -lelf
 */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/lib/refusal.h"
#include "core/symbols/symbols.h"
#include "tests/unit/fake_symtab.h"
#include "tools/image/image.h"
#include "tools/symtab/symbols.h"
#include "tools/symtab/table.h"

#define TEXT 0xffffffff80100000ull

/* The reserved section that image_* find in this program. */
__attribute__((section(SYMTAB_SECTION), used)) static const char reserved[FAKE_SYMTAB_SIZE] = {1};

static const char *name_at(uint64_t address)
{
    struct symbol symbol;

    return symbols_find_address(address, &symbol) ? symbol.name : "(none)";
}

static struct table_symbol local(struct table_symbol symbol)
{
    symbol.global = false;
    symbol.kind = (char)(symbol.kind | 0x20);
    return symbol;
}

static struct table_symbol global(struct table_symbol symbol)
{
    symbol.global = true;
    return symbol;
}

static struct table_symbol weak(struct table_symbol symbol)
{
    symbol.global = false;
    symbol.weak = true;
    return symbol;
}

#define LOAD(...)                                                                                  \
    do {                                                                                           \
        const struct table_symbol list[] = {__VA_ARGS__, fake_object("end", TEXT + 0x1000, 4)};    \
        fake_symtab_load(list, sizeof(list) / sizeof(list[0]));                                    \
    } while (0)

static void among_aliases_perfs_favourite_names_the_address(void **state)
{
    (void)state;
    LOAD(weak(fake_function("weak_and_long", TEXT, 8)), local(fake_function("here", TEXT, 8)));
    assert_string_equal(name_at(TEXT), "here");
    LOAD(local(fake_function("local_and_long", TEXT, 8)), fake_function("everywhere", TEXT, 8));
    assert_string_equal(name_at(TEXT), "everywhere");
    LOAD(fake_function("__hidden_a_little", TEXT, 8), fake_function("plain", TEXT, 8));
    assert_string_equal(name_at(TEXT), "plain");
    LOAD(fake_function("short", TEXT, 8), fake_function("longer", TEXT, 8));
    assert_string_equal(name_at(TEXT), "longer");
    LOAD(fake_function("first", TEXT, 8), fake_function("other", TEXT, 8));
    assert_string_equal(name_at(TEXT), "first");
}

static void a_symbol_with_size_hides_labels_before_it_in_the_list(void **state)
{
    (void)state;
    LOAD(fake_label("start_of_text", TEXT), fake_function("run", TEXT, 8));
    assert_string_equal(name_at(TEXT), "run");
    /* The last label extends to the next symbol, and is preferred because it is global. */
    LOAD(local(fake_function("run", TEXT, 8)), global(fake_label("text", TEXT)));
    assert_string_equal(name_at(TEXT + 1), "text");
    LOAD(fake_label("one", TEXT), fake_label("the_longest", TEXT), fake_label("two", TEXT));
    assert_string_equal(name_at(TEXT), "two");
}

static void objects_hide_the_linker_scripts_marks(void **state)
{
    struct table_symbol mark = fake_object("data_start_mark", TEXT + 0x800, 0);

    (void)state;
    mark.label = true;
    LOAD(local(fake_object("flag", TEXT + 0x800, 4)), mark);
    assert_string_equal(name_at(TEXT + 0x800), "flag");
}

static void labels_of_code_reach_to_the_next_symbol_and_not_out_of_their_section(void **state)
{
    struct table_symbol last = fake_label("last", TEXT + 0x20);
    struct symbol symbol;
    size_t count;

    (void)state;
    last.section_end = TEXT + 0x30;
    LOAD(fake_label("entry", TEXT), fake_label("entry.loop", TEXT + 0x10), last);
    assert_int_equal(symbols_find_name("entry", &symbol, &count), 0);
    assert_int_equal(symbol.size, 0x10);
    assert_string_equal(name_at(TEXT + 0x1f), "entry.loop");
    assert_string_equal(name_at(TEXT + 0x2f), "last");
    assert_string_equal(name_at(TEXT + 0x30), "(none)");

    struct table_symbol behind = fake_label("image_end", TEXT + 0x100);
    behind.section_end = TEXT + 0xf0;
    LOAD(behind);
    assert_int_equal(symbols_find_name("image_end", &symbol, &count), 0);
    assert_int_equal(symbol.size, 0);
}

static void labels_inside_a_function_have_only_a_name(void **state)
{
    struct symbol symbol;
    size_t count;

    (void)state;
    LOAD(fake_function("copy", TEXT, 0x40), fake_label("copy.loop", TEXT + 0x10),
         fake_label("behind", TEXT + 0x40));
    assert_string_equal(name_at(TEXT + 0x18), "copy");
    assert_string_equal(name_at(TEXT + 0x40), "behind");
    assert_int_equal(symbols_find_name("copy.loop", &symbol, &count), 0);
    assert_int_equal(symbol.address, TEXT + 0x10);
}

static void all_aliases_are_found_by_name(void **state)
{
    const char *names[] = {"run", "walk", "_crawl"};
    struct symbol symbol;
    size_t count;

    (void)state;
    LOAD(fake_function("run", TEXT, 8), weak(fake_function("walk", TEXT, 8)),
         fake_label("_crawl", TEXT), fake_label("_crawl", TEXT));
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(symbols_find_name(names[i], &symbol, &count), 0);
        assert_int_equal(symbol.address, TEXT);
        assert_int_equal(count, 1);
    }
}

static void low_and_high_addresses_fit_in_one_table(void **state)
{
    (void)state;
    LOAD(fake_function("boot", 0x100000, 8), fake_function("run", TEXT, 8));
    assert_string_equal(name_at(0x100004), "boot");
    assert_string_equal(name_at(TEXT + 7), "run");
    assert_string_equal(name_at(TEXT - 1), "(none)");
    assert_string_equal(name_at(0x200000), "(none)");
    assert_string_equal(name_at(0), "(none)");
}

static void symbols_too_far_apart_are_refused(void **state)
{
    struct table_symbol far[] = {fake_function("low", 0, 8), fake_function("high", 1ull << 32, 8)};
    struct table table;

    (void)state;
    assert_false(table_build(&table, far, 2, fake_build_id));
}

/* A copy of this program, open. */
static void open_copy(struct image *image, char *path)
{
    char bytes[65536];
    ssize_t length;
    int from = open("/proc/self/exe", O_RDONLY), to = mkstemp(path);

    assert_true(from >= 0 && to >= 0);
    while ((length = read(from, bytes, sizeof(bytes))) > 0)
        assert_int_equal(write(to, bytes, (size_t)length), length);
    close(from);
    close(to);
    assert_true(image_open(image, "symtab", SYMTAB_SECTION, path, true));
}

static void build_from(struct image *image, struct table *table)
{
    struct table_symbol *symbols;
    size_t count;

    assert_true(symbols_read(image, &symbols, &count));
    assert_true(table_build(table, symbols, count, image->build_id));
    free(symbols);
}

static char *read_file(const char *path, size_t *size)
{
    struct stat status;
    int file = open(path, O_RDONLY);

    assert_true(file >= 0);
    assert_int_equal(fstat(file, &status), 0);
    *size = (size_t)status.st_size;
    char *bytes = malloc(*size);
    assert_int_equal(read(file, bytes, *size), status.st_size);
    close(file);
    return bytes;
}

static void the_reserved_section_is_filled_and_nothing_else_changes(void **state)
{
    char path[] = "/tmp/symtab_test.XXXXXX";
    struct image image;
    struct table table;
    size_t size_before, size_after;

    (void)state;
    open_copy(&image, path);
    char *before = read_file(path, &size_before);
    build_from(&image, &table);
    assert_true(image_write(&image, table.bytes, table.size));
    char *after = read_file(path, &size_after);

    assert_int_equal(size_after, size_before);
    assert_memory_equal(after + image.reserved_offset, table.bytes, table.size);
    memcpy(after + image.reserved_offset, reserved, sizeof(reserved));
    assert_memory_equal(after, before, size_before);
    free(before);
    free(after);
    free(table.bytes);
    image_close(&image);
    unlink(path);
}

static void a_real_programs_table_is_sound_and_knows_its_static_functions(void **state)
{
    char path[] = "/tmp/symtab_test.XXXXXX";
    struct refusal why;
    struct symbol self, next;
    struct image image;
    struct table table;
    size_t count;

    (void)state;
    open_copy(&image, path);
    build_from(&image, &table);
    assert_true(table.size <= FAKE_SYMTAB_SIZE);
    memcpy(fake_symtab, table.bytes, table.size);
    assert_int_equal(symbols_init(image.build_id, SYMTAB_BUILD_ID_SIZE, &why), 0);

    assert_int_equal(symbols_find_name("open_copy", &self, &count), 0);
    assert_int_equal(self.kind, 't');
    assert_true(self.size > 0);
    assert_int_equal(symbols_find_name("read_file", &next, &count), 0);
    assert_int_equal(self.address - next.address, (uintptr_t)open_copy - (uintptr_t)read_file);
    assert_string_equal(name_at(self.address + self.size - 1), "open_copy");
    assert_int_equal(symbols_find_name("reserved", &self, &count), -ENOENT);
    free(table.bytes);
    image_close(&image);
    unlink(path);
}

static void a_section_too_small_is_refused(void **state)
{
    char path[] = "/tmp/symtab_test.XXXXXX";
    struct image image;
    struct table table;

    (void)state;
    open_copy(&image, path);
    build_from(&image, &table);
    image.reserved_size = table.size - 1;
    assert_false(image_write(&image, table.bytes, table.size));
    free(table.bytes);
    image_close(&image);
    unlink(path);
}

static void what_is_no_kernel_is_refused(void **state)
{
    char path[] = "/tmp/symtab_test.XXXXXX";
    struct image image;
    int file = mkstemp(path);

    (void)state;
    assert_int_equal(write(file, "no ELF at all", 13), 13);
    close(file);
    assert_false(image_open(&image, "symtab", SYMTAB_SECTION, path, true));
    image_close(&image);
    unlink(path);
    assert_false(image_open(&image, "symtab", SYMTAB_SECTION, path, true));
    image_close(&image);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(among_aliases_perfs_favourite_names_the_address),
        cmocka_unit_test(a_symbol_with_size_hides_labels_before_it_in_the_list),
        cmocka_unit_test(objects_hide_the_linker_scripts_marks),
        cmocka_unit_test(labels_of_code_reach_to_the_next_symbol_and_not_out_of_their_section),
        cmocka_unit_test(labels_inside_a_function_have_only_a_name),
        cmocka_unit_test(all_aliases_are_found_by_name),
        cmocka_unit_test(low_and_high_addresses_fit_in_one_table),
        cmocka_unit_test(symbols_too_far_apart_are_refused),
        cmocka_unit_test(the_reserved_section_is_filled_and_nothing_else_changes),
        cmocka_unit_test(a_real_programs_table_is_sound_and_knows_its_static_functions),
        cmocka_unit_test(a_section_too_small_is_refused),
        cmocka_unit_test(what_is_no_kernel_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
