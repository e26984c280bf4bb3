/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernel's reserved section, for unit tests (tests/unit/fake_symtab.h). */
#include "tests/unit/fake_symtab.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <sanitizer/asan_interface.h>

#include "core/lib/refusal.h"
#include "core/symbols/symbols.h"

/* The linker script's two symbols; the bytes after them are poisoned. */
__asm__(".bss\n"
        ".balign 4096\n"
        ".globl symtab_start, symtab_end, fake_symtab\n"
        "fake_symtab:\n"
        "symtab_start: .skip 0x100000\n"
        "symtab_end: .skip 4096\n"
        ".text\n");

const uint8_t fake_build_id[SYMTAB_BUILD_ID_SIZE] = "a build id of 20 by";

void fake_symtab_load(const struct table_symbol *symbols, size_t count)
{
    struct table_symbol *copy = malloc((count + 1) * sizeof(*copy));
    struct refusal why;
    struct table table;

    __asan_poison_memory_region(fake_symtab + FAKE_SYMTAB_SIZE, 4096);
    for (size_t i = 0; i < count; i++)
        copy[i] = symbols[i];
    assert_true(table_build(&table, copy, count, fake_build_id));
    assert_true(table.size <= FAKE_SYMTAB_SIZE);
    memset(fake_symtab, 0, FAKE_SYMTAB_SIZE);
    memcpy(fake_symtab, table.bytes, table.size);
    assert_int_equal(symbols_init(fake_build_id, sizeof(fake_build_id), &why), 0);
    free(table.bytes);
    free(copy);
}

struct table_symbol fake_object(const char *name, uint64_t address, uint64_t size)
{
    return (struct table_symbol){
        .name = name,
        .address = address,
        .size = size,
        .section_end = UINT64_MAX,
        .global = true,
        .kind = 'D',
    };
}

struct table_symbol fake_function(const char *name, uint64_t address, uint64_t size)
{
    struct table_symbol symbol = fake_object(name, address, size);

    symbol.code = true;
    symbol.kind = 'T';
    return symbol;
}

struct table_symbol fake_label(const char *name, uint64_t address)
{
    struct table_symbol symbol = fake_function(name, address, 0);

    symbol.label = true;
    symbol.global = false;
    symbol.kind = 't';
    return symbol;
}
