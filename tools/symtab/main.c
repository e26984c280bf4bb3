/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * symtab [--program | --need] FILE.ELF: fills the section .symtab_blob of a linked kernel or
 * program with its symbol table (docs/unwinding.md), or prints the table's size in bytes. Called by
 * the build after the link; a second call changes nothing.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/image/image.h"
#include "tools/symtab/symbols.h"
#include "tools/symtab/table.h"

/*
 * --- Symbols of Pitot's object whose names the kernel in which it is also has. Pairs of marks in
 * core/embed/sections.ld, which every link keeps, show where the object's sections lie; without
 * them nothing is renamed. ---
 */

#define PREFIX "pitot."
#define PARTS  4

struct own {
    uint64_t start[PARTS], end[PARTS];
};

static uint64_t mark(const struct table_symbol *symbols, size_t count, const char *part,
                     const char *which)
{
    char name[40];

    snprintf(name, sizeof(name), "embed_own_%s_%s", part, which);
    for (size_t i = 0; i < count; i++)
        if (strcmp(symbols[i].name, name) == 0)
            return symbols[i].address;
    return 0;
}

static struct own find(const struct table_symbol *symbols, size_t count)
{
    static const char *const parts[PARTS] = {"text", "rodata", "data", "bss"};
    struct own own;

    for (unsigned i = 0; i < PARTS; i++) {
        own.start[i] = mark(symbols, count, parts[i], "start");
        own.end[i] = mark(symbols, count, parts[i], "end");
    }
    return own;
}

static bool is_own(const struct own *own, uint64_t address)
{
    for (unsigned i = 0; i < PARTS; i++)
        if (address >= own->start[i] && address < own->end[i])
            return true;
    return false;
}

static bool kernel_has(const struct table_symbol *symbols, size_t count, const struct own *own,
                       const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(symbols[i].name, name) == 0 && !is_own(own, symbols[i].address))
            return true;
    return false;
}

/*
 * A name that the kernel also has stays the kernel's: the object's symbol becomes pitot.NAME.
 * *symbols is reallocated, with the new names at its end. False: out of memory.
 */
static bool own_rename(struct table_symbol **symbols, size_t count)
{
    const struct own own = find(*symbols, count);
    size_t room = 0;
    char *names;

    for (size_t i = 0; i < count; i++)
        if (is_own(&own, (*symbols)[i].address))
            room += sizeof(PREFIX) + strlen((*symbols)[i].name);
    *symbols = realloc(*symbols, (count + 1) * sizeof(**symbols) + room);
    if (!*symbols)
        return false;
    names = (char *)(*symbols + count + 1);
    for (size_t i = 0; i < count; i++) {
        struct table_symbol *symbol = &(*symbols)[i];

        if (!is_own(&own, symbol->address) || !kernel_has(*symbols, count, &own, symbol->name))
            continue;
        symbol->name = strcat(strcpy(names, PREFIX), symbol->name);
        names += strlen(names) + 1;
    }
    return true;
}

/* --- The table. --- */

/*
 * Drops a program's symbols at the other end of its half of the address space, beyond the table's
 * 32-bit offsets: the kernel cannot name them. perf reads the ELF file's own table.
 */
static size_t drop_far(struct table_symbol *symbols, size_t count)
{
    uint64_t lowest = UINT64_MAX;
    size_t kept = 0;

    for (size_t i = 0; i < count; i++)
        lowest = symbols[i].address < lowest ? symbols[i].address : lowest;
    for (size_t i = 0; i < count; i++)
        if (symbols[i].address - lowest <= UINT32_MAX)
            symbols[kept++] = symbols[i];
    return kept;
}

static bool fill(struct image *image, bool program)
{
    struct table_symbol *symbols;
    struct table table;
    size_t count;

    if (!symbols_read(image, &symbols, &count))
        return false;
    if (program)
        count = drop_far(symbols, count);
    if (!own_rename(&symbols, count))
        return image_complain(image, "out of memory");
    bool built = table_build(&table, symbols, count, image->build_id);
    free(symbols);
    if (!built)
        return image_complain(image, "symbols lie more than 4 GiB apart");
    bool written = image_write(image, table.bytes, table.size);
    free(table.bytes);
    return written;
}

int main(int argc, char **argv)
{
    struct image image;

    bool program = argc == 3 && strcmp(argv[1], "--program") == 0;
    bool need = argc == 3 && strcmp(argv[1], "--need") == 0;

    if (argc != 2 && !program && !need) {
        fprintf(stderr, "usage: symtab [--need] KERNEL | symtab --program PROGRAM\n");
        return EXIT_FAILURE;
    }
    bool done = image_open(&image, "symtab", SYMTAB_SECTION, argv[argc - 1],
                           need ? IMAGE_MEASURE : IMAGE_WRITE) &&
                fill(&image, program);
    image_close(&image);
    return done ? EXIT_SUCCESS : EXIT_FAILURE;
}
