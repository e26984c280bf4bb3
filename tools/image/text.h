/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The text of a linked kernel, from `_text` to `_etext` or other marks, and its functions, as the
 * command line asks for it. Called by tools/orcgen and tools/insnmap.
 */
#pragma once

#include <getopt.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/image/image.h"

/*
 * --- The command line:
 *
 *     [OPTION]... [--gaps HOW] [--exempt SECTION]... [--text START,END] IMAGE
 */

struct order {
    int what;            /* the letter of the last other option; 0: none, 'n': of "need" */
    const char *gaps;    /* as typed: code the table cannot describe is reported; NULL: refused */
    const char **exempt; /* sections to ignore */
    size_t exempt_count;
    const char *text; /* as typed; NULL: "_text,_etext" */
    const char *path;
};

/*
 * Reads the command line. `options` are the tool's, end with {0}, and include "exempt", "gaps" and
 * "text" with the values 'e', 'g' and 't'. Keeps pointers into argv. Returns false if the usage is
 * wrong; getopt has complained, except about a number of images other than one. Call order_free
 * even then.
 */
bool order_read(struct order *order, const struct option *options, int argc, char **argv);
enum image_use order_use(const struct order *order); /* without an option the image is filled */
void order_free(struct order *order);

/* --- The text. --- */

struct text_symbol {
    const char *name;
    uint32_t offset; /* from the start of the text */
    uint32_t size;   /* 0: none given */
    uint32_t order;  /* as listed in the file */
    bool function;
};

#define TEXT_MARK_SIZE 64

struct text {
    const struct image *image;
    char start[TEXT_MARK_SIZE], end[TEXT_MARK_SIZE]; /* the marks' names */
    uint64_t address;
    uint32_t size;
    uint8_t *bytes;              /* 0 outside sections */
    struct text_symbol *symbols; /* by offset; at one offset, the best name last */
    size_t symbol_count;
};

/* A place as "name+0x12 (0xffffffff80100012)". */
struct text_place {
    char words[256];
};

/*
 * Returns false, with a complaint, if a mark is missing, or a section that is not exempt has code
 * outside the marks. Call text_free even then.
 */
bool text_read(struct text *text, const struct image *image, const struct order *order);
void text_free(struct text *text);

struct text_place text_describe(const struct text *text, uint32_t offset);
