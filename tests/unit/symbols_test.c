/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernel's look-ups in its symbol table, also in damaged tables.
 *
 * links: tools/symtab/table.c
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/lib/refusal.h"
#include "core/symbols/symbols.h"
#include "tests/unit/fake_symtab.h"

#define TEXT 0xffffffff80100000ull
#define DATA 0xffffffff80200000ull

static int load_some(void **state)
{
    const struct table_symbol list[] = {
        fake_function("lock_kernel", TEXT, 0x40),
        fake_function("unlock_kernel", TEXT + 0x40, 0x20),
        fake_label("trap_entry", TEXT + 0x80),
        fake_function("fs_open", TEXT + 0x100, 0x30),
        fake_function("fs_read", TEXT + 0x130, 0x30),
        fake_object("kernel_flag", DATA, 4),
        fake_object("kernel_flags_of_all", DATA + 8, 64),
        fake_object("big_kernel_flag_page", DATA + 0x1000, 0x1000),
        fake_object("count", DATA + 0x2004, 4),
        fake_object("count", DATA + 0x2000, 4),
        fake_object("without_size", DATA + 0x3000, 0),
        fake_object("tx", DATA + 0x3030, 4),
        fake_object("last", DATA + 0x3040, 4),
    };

    (void)state;
    fake_symtab_load(list, sizeof(list) / sizeof(list[0]));
    return 0;
}

static const char *described(uint64_t address)
{
    static char text[64];

    return symbols_describe(address, text, sizeof(text));
}

static void an_address_is_found_up_to_the_last_byte_of_its_symbol(void **state)
{
    struct symbol symbol;

    (void)state;
    assert_true(symbols_find_address(TEXT + 0x3f, &symbol));
    assert_string_equal(symbol.name, "lock_kernel");
    assert_int_equal(symbol.address, TEXT);
    assert_int_equal(symbol.size, 0x40);
    assert_int_equal(symbol.kind, 'T');
    assert_true(symbols_find_address(TEXT + 0x40, &symbol));
    assert_string_equal(symbol.name, "unlock_kernel");
    assert_false(symbols_find_address(TEXT + 0x60, &symbol));
    assert_false(symbols_find_address(TEXT - 1, &symbol));
    assert_false(symbols_find_address(0, &symbol));
    assert_false(symbols_find_address(UINT64_MAX, &symbol));
    assert_false(symbols_find_address(DATA + 0x3044, &symbol));
}

static void a_symbol_without_size_reaches_to_the_next(void **state)
{
    (void)state;
    assert_string_equal(described(DATA + 0x302f), "without_size+0x2f");
    assert_string_equal(described(DATA + 0x3030), "tx+0x0");
}

static void every_address_is_described(void **state)
{
    char small[6];

    (void)state;
    assert_string_equal(described(TEXT + 0x12), "lock_kernel+0x12");
    assert_string_equal(described(TEXT + 0x60), "0xffffffff80100060");
    assert_string_equal(symbols_describe(TEXT, small, sizeof(small)), "lock_");
}

/* A call may be the last instruction of its function. */
static void a_return_address_is_described_by_its_call(void **state)
{
    char text[64];

    (void)state;
    assert_string_equal(symbols_describe_return(TEXT + 0x12, text, sizeof(text)),
                        "lock_kernel+0x12");
    assert_string_equal(symbols_describe_return(TEXT + 0x40, text, sizeof(text)),
                        "lock_kernel+0x40");
    assert_string_equal(symbols_describe_return(TEXT, text, sizeof(text)), "0xffffffff80100000");
}

static void names_are_found_and_ambiguous_ones_counted(void **state)
{
    struct symbol symbol;
    size_t count;

    (void)state;
    assert_int_equal(symbols_find_name("kernel_flag", &symbol, &count), 0);
    assert_int_equal(symbol.address, DATA);
    assert_int_equal(count, 1);
    assert_int_equal(symbols_find_name("kernel_fla", &symbol, &count), -ENOENT);
    assert_int_equal(symbols_find_name("kernel_flagg", &symbol, &count), -ENOENT);
    assert_int_equal(symbols_find_name("", &symbol, &count), -ENOENT);
    assert_int_equal(symbols_find_name("zzz", &symbol, &count), -ENOENT);
    assert_int_equal(symbols_find_name("count", &symbol, &count), -EEXIST);
    assert_int_equal(symbol.address, DATA + 0x2000);
    assert_int_equal(count, 2);
}

static void names_come_in_order(void **state)
{
    struct symbol symbol;
    char last[64] = "";
    size_t index = 0;

    (void)state;
    for (; symbols_by_name(index, &symbol); index++) {
        assert_true(strcmp(last, symbol.name) <= 0);
        strcpy(last, symbol.name);
    }
    assert_int_equal(index, 13);
    assert_int_equal(symbols_count(), 13);
}

static const char *suggested(const char *wrong, size_t most)
{
    static char text[200];
    struct symbol nearest[16];
    size_t count = symbols_suggest(wrong, nearest, most);

    assert_true(count <= most);
    text[0] = '\0';
    for (size_t i = 0; i < count; i++) {
        strcat(text, i ? " " : "");
        strcat(text, nearest[i].name);
    }
    return text;
}

static void the_nearest_names_come_first(void **state)
{
    (void)state;
    assert_string_equal(suggested("kernel_flog", 4), "kernel_flag");
    assert_string_equal(suggested("kernel_falg", 1), "kernel_flag");
    assert_string_equal(suggested("kenrel_flag", 1), "kernel_flag");
    assert_string_equal(suggested("kernel_flags", 2), "kernel_flag kernel_flags_of_all");
    assert_string_equal(suggested("kernel_fla", 4),
                        "kernel_flag kernel_flags_of_all big_kernel_flag_page");
    assert_string_equal(suggested("fs_rad", 1), "fs_read");
    assert_string_equal(suggested("coun", 4), "count");
    assert_string_equal(suggested("xt", 4), "tx");
    assert_string_equal(suggested("q", 4), "");
    assert_string_equal(suggested("", 4), "");
    assert_string_equal(suggested("qqqqqqqqqqqq", 4), "");
    assert_string_equal(suggested("kernel_flog", 0), "");
}

static void long_wrong_names_are_no_trouble(void **state)
{
    char wrong[5000];

    (void)state;
    memset(wrong, 'k', sizeof(wrong) - 1);
    wrong[sizeof(wrong) - 1] = '\0';
    suggested(wrong, 16);
}

static void each_unsound_header_is_refused_with_its_own_reason(void **state)
{
    struct symtab_header *header = (struct symtab_header *)fake_symtab;
    struct symtab_header sound = *header;
    struct refusal why;
    struct symbol symbol;

    (void)state;
#define REFUSED(change, word)                                                                      \
    do {                                                                                           \
        change;                                                                                    \
        assert_int_equal(symbols_init(fake_build_id, sizeof(fake_build_id), &why), -EINVAL);       \
        assert_non_null(strstr(why.text, word));                                                   \
        assert_int_equal(symbols_count(), 0);                                                      \
        assert_false(symbols_find_address(TEXT, &symbol));                                         \
        *header = sound;                                                                           \
    } while (0)

    REFUSED(header->magic++, "no symbol table");
    REFUSED(header->version++, "version 2");
    REFUSED(header->build_id[19] ^= 1, "another build");
    REFUSED(header->size = FAKE_SYMTAB_SIZE + 1, "in a section of");
    REFUSED(header->entry_count = UINT32_MAX, "reach beyond");
    REFUSED(header->found_count = header->entry_count + 1, "reach beyond");
    REFUSED(header->entries = UINT32_MAX - 3, "reach beyond");
    REFUSED(header->by_name += 2, "reach beyond");
    REFUSED(header->by_name = UINT32_MAX - 3, "reach beyond");
    REFUSED(header->strings = 0, "reach beyond");
    REFUSED(header->strings_size--, "do not end");
    REFUSED(header->strings_size = 0, "do not end");
#undef REFUSED
    assert_int_equal(symbols_init(fake_build_id, 19, &why), -EINVAL);
    assert_int_equal(symbols_init(fake_build_id, sizeof(fake_build_id), &why), 0);
}

static void each_unsound_entry_is_refused_with_its_own_reason(void **state)
{
    struct symtab_header *header = (struct symtab_header *)fake_symtab;
    struct symtab_entry *entries = (struct symtab_entry *)(fake_symtab + header->entries);
    uint32_t *by_name = (uint32_t *)(fake_symtab + header->by_name);
    struct refusal why;

    (void)state;
#define REFUSED(place, value, word)                                                                \
    do {                                                                                           \
        uint32_t sound = place;                                                                    \
        place = value;                                                                             \
        assert_int_equal(symbols_init(fake_build_id, sizeof(fake_build_id), &why), -EINVAL);       \
        assert_non_null(strstr(why.text, word));                                                   \
        place = sound;                                                                             \
    } while (0)

    REFUSED(entries[3].name, header->strings_size, "name outside");
    REFUSED(entries[3].offset, entries[2].offset, "out of order");
    REFUSED(by_name[3], header->entry_count, "no symbol");
    REFUSED(by_name[0], by_name[header->entry_count - 1], "out of order");
#undef REFUSED
    assert_int_equal(symbols_init(fake_build_id, sizeof(fake_build_id), &why), 0);
}

/* The sanitizers also watch the bytes after the section. */
static void no_change_of_a_byte_makes_a_look_up_read_outside(void **state)
{
    struct symtab_header *header = (struct symtab_header *)fake_symtab;
    struct symbol symbol;
    size_t count;

    (void)state;
    srand(2);
    for (uint32_t at = 0; at < header->size; at++) {
        char sound = fake_symtab[at];
        fake_symtab[at] = (char)(sound ^ (1 + rand() % 255));
        if (symbols_init(fake_build_id, sizeof(fake_build_id), NULL) == 0) {
            symbols_find_address(TEXT + 0x20, &symbol);
            symbols_find_name("kernel_flag", &symbol, &count);
            suggested("kernel_flog", 4);
        }
        fake_symtab[at] = sound;
    }
}

static void a_table_of_thousands_is_searched_exactly(void **state)
{
    enum { COUNT = 3000 };
    static struct table_symbol list[COUNT];
    static char names[COUNT][16];
    struct symbol symbol;
    size_t count;

    (void)state;
    for (size_t i = 0; i < COUNT; i++) {
        snprintf(names[i], sizeof(names[i]), "symbol_%zu", i * 7919 % COUNT);
        list[i] = fake_function(names[i], TEXT + i * 16, 8);
    }
    fake_symtab_load(list, COUNT);
    for (size_t i = 0; i < COUNT; i++) {
        assert_int_equal(symbols_find_name(names[i], &symbol, &count), 0);
        assert_int_equal(symbol.address, TEXT + i * 16);
        assert_true(symbols_find_address(TEXT + i * 16 + 7, &symbol));
        assert_string_equal(symbol.name, names[i]);
        assert_false(symbols_find_address(TEXT + i * 16 + 8, &symbol));
    }
    assert_string_equal(suggested("simbol_2999", 1), "symbol_2999");
}

static void a_section_that_was_not_filled_answers_nothing(void **state)
{
    struct refusal why;
    struct symbol symbol;
    size_t count;

    (void)state;
    memset(fake_symtab, 0, FAKE_SYMTAB_SIZE);
    assert_int_equal(symbols_init(fake_build_id, sizeof(fake_build_id), &why), -EINVAL);
    assert_false(symbols_find_address(TEXT, &symbol));
    assert_int_equal(symbols_find_name("kernel_flag", &symbol, &count), -ENOENT);
    assert_int_equal(symbols_suggest("kernel_flag", &symbol, 1), 0);
    assert_string_equal(described(TEXT), "0xffffffff80100000");
}

static void a_program_has_a_table_of_its_own(void **state)
{
    struct table_symbol list[] = {fake_function("main", 0x401000, 0x20),
                                  fake_object("counter", 0x403000, 4)};
    struct symbol_table program;
    struct symbol symbol;
    struct table table;
    struct refusal why;
    size_t count;

    (void)state;
    assert_true(table_build(&table, list, 2, fake_build_id));
    assert_int_equal(symbol_table_open(&program, table.bytes, table.size, fake_build_id,
                                       sizeof(fake_build_id), &why),
                     0);
    assert_true(symbol_table_find_address(&program, 0x40101f, &symbol));
    assert_string_equal(symbol.name, "main");
    assert_false(symbol_table_find_address(&program, TEXT, &symbol));
    assert_int_equal(symbol_table_find_name(&program, "counter", &symbol, &count), 0);
    assert_int_equal(symbol.address, 0x403000);
    assert_false(symbols_find_address(0x401000, &symbol));

    memmove((char *)table.bytes + 4, table.bytes, table.size - 4);
    assert_int_equal(symbol_table_open(&program, (char *)table.bytes + 4, table.size - 4,
                                       fake_build_id, sizeof(fake_build_id), &why),
                     -EINVAL);
    assert_non_null(strstr(why.text, "a multiple of 8"));
    assert_false(symbol_table_find_address(&program, 0x401000, &symbol));
    free(table.bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(an_address_is_found_up_to_the_last_byte_of_its_symbol, load_some),
        cmocka_unit_test_setup(a_symbol_without_size_reaches_to_the_next, load_some),
        cmocka_unit_test_setup(every_address_is_described, load_some),
        cmocka_unit_test_setup(a_return_address_is_described_by_its_call, load_some),
        cmocka_unit_test_setup(names_are_found_and_ambiguous_ones_counted, load_some),
        cmocka_unit_test_setup(names_come_in_order, load_some),
        cmocka_unit_test_setup(the_nearest_names_come_first, load_some),
        cmocka_unit_test_setup(long_wrong_names_are_no_trouble, load_some),
        cmocka_unit_test_setup(each_unsound_header_is_refused_with_its_own_reason, load_some),
        cmocka_unit_test_setup(each_unsound_entry_is_refused_with_its_own_reason, load_some),
        cmocka_unit_test_setup(no_change_of_a_byte_makes_a_look_up_read_outside, load_some),
        cmocka_unit_test(a_table_of_thousands_is_searched_exactly),
        cmocka_unit_test_setup(a_section_that_was_not_filled_answers_nothing, load_some),
        cmocka_unit_test_setup(a_program_has_a_table_of_its_own, load_some),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
