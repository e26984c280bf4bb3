/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * insnmap [--print] [--exempt SECTION]... KERNEL.ELF: fills the section .insn_map of a linked
 * kernel with its instruction map (docs/insn-map.md); or prints a line for each instruction,
 * address and code, and writes nothing. The build calls it once after the link; calling it again
 * changes nothing.
 */
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/abi/insn_map.h"
#include "tools/image/image.h"
#include "tools/image/text.h"
#include "tools/insnmap/map.h"

#define RESERVED_SECTION ".insn_map"

_Static_assert(IMAGE_BUILD_ID_SIZE == INSN_MAP_BUILD_ID_SIZE, "the image's goes into the map");

struct order {
    bool print;
    const char **exempt; /* sections whose code nobody asks about */
    size_t exempt_count;
    const char *path;
};

static bool order_read(struct order *order, int argc, char **argv)
{
    static const struct option options[] = {
        {"exempt", required_argument, NULL, 'e'},
        {"print", no_argument, NULL, 'p'},
        {0},
    };
    int option;

    *order = (struct order){.exempt = calloc((size_t)argc, sizeof(*order->exempt))};
    while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
        if (option == 'e' && order->exempt)
            order->exempt[order->exempt_count++] = optarg;
        else if (option == 'p')
            order->print = true;
        else
            return false;
    }
    order->path = argv[optind];
    return optind + 1 == argc;
}

static void print_codes(const struct text *text, const uint8_t *codes)
{
    static const char *const names[] = {"", "plain", "access", "call"};

    for (uint32_t i = 0; i < text->size; i++) {
        bool repeat = text->bytes[i] == INSN_REPEAT || text->bytes[i] == INSN_REPEAT_NOT;

        if (codes[i] != INSN_INSIDE)
            printf("%" PRIx64 " %s\n", text->address + i,
                   codes[i] == INSN_CALL_OR_REPEATED && repeat ? "repeated" : names[codes[i]]);
    }
}

static bool write_map(const struct image *image, const struct text *text, const uint8_t *codes)
{
    size_t size =
        sizeof(struct insn_map_header) + (text->size + INSN_MAP_PER_BYTE - 1) / INSN_MAP_PER_BYTE;
    char *bytes = calloc(1, size);

    if (!bytes)
        return image_complain(image, "out of memory");
    struct insn_map_header header = {
        .magic = INSN_MAP_MAGIC,
        .version = INSN_MAP_VERSION,
        .size = (uint32_t)size,
        .text = text->address,
        .text_size = text->size,
    };
    memcpy(header.build_id, image->build_id, sizeof(header.build_id));
    memcpy(bytes, &header, sizeof(header));
    for (uint32_t i = 0; i < text->size; i++)
        bytes[sizeof(header) + i / INSN_MAP_PER_BYTE] |=
            (char)(codes[i] << 2 * (i % INSN_MAP_PER_BYTE));
    bool written = image_write(image, bytes, size);
    free(bytes);
    return written;
}

static bool run(const struct order *order, const struct image *image)
{
    struct text text = {0};
    uint8_t *codes = NULL;
    bool done = text_read(&text, image, order->exempt, order->exempt_count);

    if (done) {
        codes = malloc(text.size);
        done = codes ? map_make(&text, codes) : image_complain(image, "out of memory");
    }
    if (done && order->print)
        print_codes(&text, codes);
    else if (done)
        done = write_map(image, &text, codes);
    free(codes);
    text_free(&text);
    return done;
}

int main(int argc, char **argv)
{
    struct order order;
    struct image image;

    if (!order_read(&order, argc, argv)) {
        fprintf(stderr, "usage: insnmap [--print] [--exempt SECTION]... KERNEL.ELF\n");
        return EXIT_FAILURE;
    }
    bool done = image_open(&image, "insnmap", RESERVED_SECTION, order.path, !order.print) &&
                run(&order, &image);
    image_close(&image);
    free(order.exempt);
    return done ? EXIT_SUCCESS : EXIT_FAILURE;
}
