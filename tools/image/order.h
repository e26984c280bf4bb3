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

#define ORDER_EXEMPT_OPTION                                                                        \
    {                                                                                              \
        "exempt", required_argument, NULL, 'e'                                                     \
    }

/* What the table cannot tell of is left out of it, and named, in place of refused. */
#define ORDER_GAPS_OPTION                                                                          \
    {                                                                                              \
        "gaps", required_argument, NULL, 'g'                                                       \
    }

/* The symbols where the text begins and ends, in place of _text and _etext. */
#define ORDER_TEXT_OPTION                                                                          \
    {                                                                                              \
        "text", required_argument, NULL, 't'                                                       \
    }

struct order {
    int what;            /* the letter of the last option but these three; 0: there was none */
    const char *gaps;    /* as spelt; NULL: what the table cannot tell of is refused */
    const char **exempt; /* sections whose code is not looked at */
    size_t exempt_count;
    const char *text; /* as spelt; NULL: "_text,_etext" */
    const char *path;
};

/*
 * `options` are those of the tool, the three above among them, {0} last. The strings stay in
 * argv. False if that is no right command line; getopt has said so unless it is one image too few
 * or too many. order_free even then.
 */
bool order_read(struct order *order, const struct option *options, int argc, char **argv);
void order_free(struct order *order);
