/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * orcgen [--print | --sizes] [--exempt SECTION]... KERNEL.ELF: fills the section .unwind_table of a
 * linked kernel with its unwind table (docs/unwind-table.md), or prints the table and writes
 * nothing. The build calls it once after the link; calling it again changes nothing.
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

#include "tools/image/image.h"
#include "tools/image/text.h"
#include "tools/orcgen/cfi.h"
#include "tools/orcgen/coverage.h"
#include "tools/orcgen/print.h"
#include "tools/orcgen/table.h"

#define RESERVED_SECTION ".unwind_table"

_Static_assert(IMAGE_BUILD_ID_SIZE == UNWIND_TABLE_BUILD_ID_SIZE,
               "the image's goes into the table");

enum what { WHAT_FILL, WHAT_PRINT, WHAT_SIZES };

struct order {
    enum what what;
    const char **exempt; /* sections whose code needs no rules */
    size_t exempt_count;
    const char *path;
};

static bool order_read(struct order *order, int argc, char **argv)
{
    static const struct option options[] = {
        {"exempt", required_argument, NULL, 'e'},
        {"print", no_argument, NULL, 'p'},
        {"sizes", no_argument, NULL, 's'},
        {0},
    };
    int option;

    *order = (struct order){.exempt = calloc((size_t)argc, sizeof(*order->exempt))};
    while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
        if (option == 'e' && order->exempt)
            order->exempt[order->exempt_count++] = optarg;
        else if (option == 'p')
            order->what = WHAT_PRINT;
        else if (option == 's')
            order->what = WHAT_SIZES;
        else
            return false;
    }
    order->path = argv[optind];
    return optind + 1 == argc;
}

static bool finish(const struct order *order, const struct image *image, const struct text *text,
                   const struct cfi *cfi)
{
    const struct table_text covered = {
        .address = text->address,
        .size = text->size,
        .build_id = image->build_id,
    };
    struct table table;
    bool done = true;

    table_build(&table, cfi->rows, cfi->count, &covered);
    if (order->what == WHAT_PRINT)
        print_rows(text, cfi->rows, cfi->count);
    else if (order->what == WHAT_SIZES)
        print_sizes(&table);
    else
        done = image_write(image, table.bytes, table.size);
    free(table.bytes);
    return done;
}

static bool run(const struct order *order, const struct image *image)
{
    struct text text = {0};
    struct cfi cfi = {0};
    bool done = text_read(&text, image, order->exempt, order->exempt_count) &&
                cfi_read(&cfi, &text) && coverage_check(&text, cfi.covered) &&
                finish(order, image, &text, &cfi);

    cfi_free(&cfi);
    text_free(&text);
    return done;
}

int main(int argc, char **argv)
{
    struct order order;
    struct image image;

    if (!order_read(&order, argc, argv)) {
        fprintf(stderr, "usage: orcgen [--print | --sizes] [--exempt SECTION]... KERNEL.ELF\n");
        return EXIT_FAILURE;
    }
    bool done =
        image_open(&image, "orcgen", RESERVED_SECTION, order.path, order.what == WHAT_FILL) &&
        run(&order, &image);
    image_close(&image);
    free(order.exempt);
    return done ? EXIT_SUCCESS : EXIT_FAILURE;
}
