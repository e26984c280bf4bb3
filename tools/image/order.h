/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The command line of tools/orcgen and tools/insnmap:
 *
 *     [OPTION]... [--gaps HOW] [--exempt SECTION]... [--text START,END] IMAGE
 */
#pragma once

#include <getopt.h>
#include <stdbool.h>
#include <stddef.h>

#include "tools/image/image.h"

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
