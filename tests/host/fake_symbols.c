/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * See fake_symbols.h. The functions differ in size; behind every third lies padding that belongs
 * to none of them. Used by tests/host/report_sample.c and tests/unit/.
 */
#include "tests/host/fake_symbols.h"

#define PADDING 16

static const char *const parts[FAKE_PARTS][24] = {
    {"_text",       "x",         "sys_open",   "sys_write",   "sys_rename_with_a_rather_long_name",
     "helper",      "vfs_open",  "vfs_write",  "vfs_rename",  "lookup",
     "lookup_slow", "inode_new", "inode_free", "lock_kernel", "unlock_kernel",
     "schedule",    "memcpy",    "memset",     "page_alloc",  "page_free",
     "walk"},
    {"main",         "helper",      "irq_entry", "timer_tick",  "walk",
     "ring_reserve", "ring_commit", "sample",    "unwind_next", "crc",
     "sha",          "a",           "B",         "_under",      "idle",
     "task_entry",   "task_exit",   "panic",     "halt",        "end"},
};

static size_t size_of(size_t index)
{
    return 16 + 16 * (index * 7 % 5);
}

static size_t padding_of(size_t index)
{
    return index % 3 == 0 ? PADDING : 0;
}

static size_t part_length(unsigned int part)
{
    size_t length = 0;

    while (length < sizeof(parts[part]) / sizeof(parts[part][0]) && parts[part][length] != NULL)
        length++;
    return length;
}

size_t fake_symbols_count(void)
{
    return part_length(0) + part_length(1);
}

struct symbol fake_symbols_at(size_t index)
{
    size_t first = part_length(0);
    struct symbol symbol = {.address = FAKE_TEXT, .size = size_of(index), .kind = 't'};

    symbol.name = index < first ? parts[0][index] : parts[1][index - first];
    for (size_t i = 0; i < index; i++)
        symbol.address += size_of(i) + padding_of(i);
    return symbol;
}

size_t fake_symbols_text_size(void)
{
    struct symbol last = fake_symbols_at(fake_symbols_count() - 1);

    return last.address + last.size - FAKE_TEXT;
}

void fake_symbols_write(FILE *file, unsigned int part)
{
    size_t first = part == 0 ? 0 : part_length(0);

    fprintf(file, ".text\n%s", part == 0 ? ".globl _text\n" : "");
    for (size_t i = 0; i < part_length(part); i++) {
        fprintf(file, ".type %s, @function\n%s: .fill %zu, 1, 0x90\n", parts[part][i],
                parts[part][i], size_of(first + i));
        fprintf(file, ".size %s, . - %s\n.fill %zu, 1, 0xcc\n", parts[part][i], parts[part][i],
                padding_of(first + i));
    }
}

bool symbols_find_address(uintptr_t address, struct symbol *found)
{
    for (size_t i = 0; i < fake_symbols_count(); i++) {
        *found = fake_symbols_at(i);
        if (address >= found->address && address - found->address < found->size)
            return true;
    }
    return false;
}

/* In the order in which the sources have them, which is enough for who wants all of them. */
bool symbols_by_name(size_t index, struct symbol *found)
{
    if (index >= fake_symbols_count())
        return false;
    *found = fake_symbols_at(index);
    return true;
}
