/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What is watched, as a person spells it and as gdb's protocol does. The spelling is that of
 * `perf record -e` inside (core/event/spec.h), for addresses of the kernel:
 *
 *     mem:ADDR[/LEN][:ACCESS]    ADDR is a number, a symbol, or symbol+offset; LEN is 1 to 4096
 *                                bytes, by default the symbol's size, and 4 where it has none;
 *                                ACCESS is w, rw or x, by default rw
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "tools/outside/kernel.h"

#define POINTS_MOST  16
#define LENGTH_MOST  4096
#define SPELLING_MAX 96

struct point {
    char name[SPELLING_MAX];
    uint64_t address, length;
    enum { POINT_EXECUTE = 1, POINT_WRITE = 2, POINT_ACCESS = 4 } kind; /* gdb's: Z1, Z2, Z4 */
    uint64_t hits;
};

/* False, and the reason has been printed. */
bool point_parse(struct point *point, const char *spelling, const struct kernel *kernel);

/* Just the address: a number, a symbol, symbol+offset. */
bool point_parse_place(const char *words, const struct kernel *kernel, uint64_t *address,
                       uint64_t *size);
