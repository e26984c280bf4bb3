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

struct order {
    int what;            /* the letter of the last other option; 0: none */
    const char *gaps;    /* as typed: code the table cannot describe is named; NULL: refused */
    const char **exempt; /* sections to ignore */
    size_t exempt_count;
    const char *text; /* as typed; NULL: "_text,_etext" */
    const char *path;
};

/*
 * `options`: of the tool, with "exempt", "gaps" and "text" as 'e', 'g' and 't', {0} last. Keeps
 * strings of argv. False: wrong usage; getopt has complained unless there is not one image.
 * order_free even then.
 */
bool order_read(struct order *order, const struct option *options, int argc, char **argv);
void order_free(struct order *order);
