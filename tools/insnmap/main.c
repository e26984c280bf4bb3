/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * insnmap [--print | --need] [--gaps none] [--exempt SECTION]... [--text START,END] KERNEL.ELF
 *
 * fills the section .insn_map of a linked kernel with its instruction map (docs/unwinding.md), or
 * prints address and code of each instruction, or the map's size in bytes. Called by the build
 * after the link; a second call changes nothing.
 */
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

enum what { WHAT_FILL, WHAT_PRINT = 'p', WHAT_NEED = 'n' };

static const struct option
    options
        [] =
            {
                {"exempt", required_argument, NULL, 'e'}, /* no look-up is made in its code */
                {"text", required_argument, NULL, 't'},
                {"gaps", required_argument, NULL, 'g'}, /* look-ups in a gap have no answer */
                {"print", no_argument, NULL, WHAT_PRINT},
                {"need", no_argument, NULL, WHAT_NEED},
                {0},
};

static void print_codes(const struct text *text, const uint8_t *codes)
{
    static const char *const names[] = {"", "plain", "access", "call"};

    for (uint32_t i = 0; i < text->size; i++) {
        if (codes[i] != INSN_INSIDE)
            printf("%" PRIx64 " %s\n", text->address + i,
                   codes[i] == INSN_CALL_OR_REPEATED &&
                           insn_has_repeat(text->bytes + i, text->size - i)
                       ? "repeated"
                       : names[codes[i]]);
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
    bool done = text_read(&text, image, order);

    if (done) {
        codes = malloc(text.size);
        done = codes ? map_make(&text, codes, order->gaps != NULL)
                     : image_complain(image, "out of memory");
    }
    if (done && order->what == WHAT_PRINT)
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

    if (!order_read(&order, options, argc, argv) ||
        (order.gaps && strcmp(order.gaps, "none") != 0)) {
        fprintf(stderr, "usage: insnmap [--print | --need] [--gaps none] [--exempt SECTION]... "
                        "[--text START,END] "
                        "KERNEL.ELF\n");
        order_free(&order);
        return EXIT_FAILURE;
    }
    bool done = image_open(&image, "insnmap", RESERVED_SECTION, order.path, order_use(&order)) &&
                run(&order, &image) && image_flush_output(&image);
    image_close(&image);
    order_free(&order);
    return done ? EXIT_SUCCESS : EXIT_FAILURE;
}
