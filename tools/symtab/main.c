/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * symtab [--program | --need] FILE.ELF: fills the section .symtab_blob of a linked kernel or
 * program with its symbol table (docs/unwinding.md), or prints the table's size in bytes. Called by
 * the build after the link; a second call changes nothing.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/image/image.h"
#include "tools/symtab/own.h"
#include "tools/symtab/symbols.h"
#include "tools/symtab/table.h"

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
