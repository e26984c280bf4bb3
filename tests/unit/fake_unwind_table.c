/* SPDX-License-Identifier: BSD-2-Clause */
/* See fake_unwind_table.h. Linked by every test of chains, and by tests/fuzz. */
#include "tests/unit/fake_unwind_table.h"

#include <assert.h>
#include <string.h>

#include <sanitizer/asan_interface.h>

/* The linker script's two symbols; the bytes after them are poisoned. */
__asm__(".bss\n"
        ".balign 4096\n"
        ".globl unwind_table_start, unwind_table_end, fake_unwind_table\n"
        "fake_unwind_table:\n"
        "unwind_table_start: .skip 0x10000\n"
        "unwind_table_end: .skip 4096\n"
        ".text\n");

void fake_unwind_table_fill(const void *bytes, size_t size)
{
    static size_t filled; /* the rest is 0 */

    assert(size <= FAKE_UNWIND_TABLE_SIZE);
    __asan_poison_memory_region(fake_unwind_table + FAKE_UNWIND_TABLE_SIZE, 4096);
    memcpy(fake_unwind_table, bytes, size);
    if (filled > size)
        memset(fake_unwind_table + size, 0, filled - size);
    filled = size;
}
