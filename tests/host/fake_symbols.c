/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * See fake_symbols.h. The functions differ in size; every third is followed by padding that belongs
 * to no function. Used by tests/host/report_sample.c and tests/unit/.
 */
#include "tests/host/fake_symbols.h"

#include "core/symbols/symbols.h"

#define PADDING 16
#define PAGE    4096 /* the mapped part of a program */

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

/* All symbols in the order of their addresses, sorted at the first call. */
static const struct symbol *all_symbols(size_t *count)
{
    static struct symbol symbols[sizeof(parts) / sizeof(parts[0][0])];
    static size_t made;

    if (made == 0) {
        size_t first = part_length(0), total = first + part_length(1);
        uintptr_t address = FAKE_TEXT;

        for (; made < total; made++) {
            symbols[made] =
                (struct symbol){.address = address,
                                .size = size_of(made),
                                .kind = 't',
                                .name = made < first ? parts[0][made] : parts[1][made - first]};
            address += size_of(made) + padding_of(made);
        }
    }
    *count = made;
    return symbols;
}

size_t fake_symbols_count(void)
{
    size_t count;

    all_symbols(&count);
    return count;
}

struct symbol fake_symbols_at(size_t index)
{
    size_t count;

    return all_symbols(&count)[index];
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
    size_t count;
    const struct symbol *symbols = all_symbols(&count);

    for (size_t i = 0; i < count; i++) {
        *found = symbols[i];
        if (address >= found->address && address - found->address < found->size)
            return true;
    }
    return false;
}

static const char *const program_paths[FAKE_PROGRAMS] = {"/bin/fs-load", "/bin/pipes"};
static const char *const program_functions[FAKE_PROGRAMS][8] = {
    {"_start", "main", "helper", "client", "write", "leaf", "poll"},
    {"_start", "main", "drain", "helper", "poll"},
};

const char *fake_program_path(unsigned int program)
{
    return program_paths[program];
}

size_t fake_program_count(unsigned int program)
{
    size_t count = 0;

    while (program_functions[program][count] != NULL)
        count++;
    return count;
}

struct symbol fake_program_at(unsigned int program, size_t index)
{
    struct symbol symbol = {.name = program_functions[program][index],
                            .address = FAKE_PROGRAM_TEXT,
                            .size = size_of(index + program),
                            .kind = 't'};

    for (size_t i = 0; i < index; i++)
        symbol.address += size_of(i + program) + padding_of(i);
    return symbol;
}

size_t fake_program_text_size(unsigned int program)
{
    struct symbol last = fake_program_at(program, fake_program_count(program) - 1);

    return last.address + last.size - FAKE_PROGRAM_TEXT;
}

void fake_program_write(FILE *file, unsigned int program)
{
    fprintf(file, ".text\n");
    for (size_t i = 0; i < fake_program_count(program); i++) {
        struct symbol symbol = fake_program_at(program, i);

        fprintf(file, ".type %s, @function\n%s: .fill %zu, 1, 0x90\n", symbol.name, symbol.name,
                symbol.size);
        fprintf(file, ".size %s, . - %s\n.fill %zu, 1, 0xcc\n", symbol.name, symbol.name,
                padding_of(i));
    }
}

bool user_place_find(uint32_t pid, uintptr_t address, struct user_place *place)
{
    unsigned int program = pid - FAKE_PROGRAM_PID(0);

    if (program >= FAKE_PROGRAMS || address < FAKE_PROGRAM_TEXT ||
        address >= FAKE_PROGRAM_TEXT + PAGE)
        return false;
    *place = (struct user_place){.program = program,
                                 .path = program_paths[program],
                                 .file_offset = address - FAKE_PROGRAM_TEXT + FAKE_PROGRAM_OFFSET};
    for (size_t i = 0; i < fake_program_count(program) && !place->named; i++) {
        place->symbol = fake_program_at(program, i);
        place->named = address >= place->symbol.address &&
                       address - place->symbol.address < place->symbol.size;
    }
    return true;
}

/* In the order of the sources, which suffices for a caller that reads all of them. */
bool symbols_by_name(size_t index, struct symbol *found)
{
    if (index >= fake_symbols_count())
        return false;
    *found = fake_symbols_at(index);
    return true;
}
