/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * symtab FILE.ELF: fills the section .symtab_blob of a linked kernel or program with the table of
 * its symbols (docs/symbols.md). The build calls it once after the link; calling it again changes
 * nothing.
 */
#include <stdio.h>
#include <stdlib.h>

#include "tools/image/image.h"
#include "tools/symtab/symbols.h"
#include "tools/symtab/table.h"

static bool fill(struct image *image)
{
    struct table_symbol *symbols;
    struct table table;
    size_t count;

    if (!symbols_read(image, &symbols, &count))
        return false;
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

    if (argc != 2) {
        fprintf(stderr, "usage: symtab FILE.ELF\n");
        return EXIT_FAILURE;
    }
    bool done = image_open(&image, "symtab", SYMTAB_SECTION, argv[1], true) && fill(&image);
    image_close(&image);
    return done ? EXIT_SUCCESS : EXIT_FAILURE;
}
