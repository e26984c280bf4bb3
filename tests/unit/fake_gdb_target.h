/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A machine for the tests of gdb's protocol (core/gdb/server.h): three CPUs, the second of which
 * does not run; five registers; 256 bytes of memory from FAKE_MEMORY on, the last 16 of them
 * read-only; and a list of points. Also a line: the bytes that gdb sends, and the replies.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/gdb/server.h"

#define FAKE_MEMORY        0x1000u
#define FAKE_MEMORY_SIZE   256u
#define FAKE_READ_ONLY     16u /* at the end of memory */
#define FAKE_GDB_REGISTERS 5u
#define FAKE_POINTS_MAX    16u
#define FAKE_FORBIDDEN     0x2000u /* points there are refused */
#define FAKE_NOTED         0x1030u /* a point there is set, with a note */

struct fake_point {
    enum gdb_point kind;
    uint64_t address, length;
};

struct fake_gdb {
    uint64_t registers[3][FAKE_GDB_REGISTERS]; /* the last is unknown on CPU 2 */
    uint8_t memory[FAKE_MEMORY_SIZE];
    struct fake_point points[FAKE_POINTS_MAX];
    unsigned point_count;
    unsigned writes; /* to memory */

    const uint8_t *said; /* by gdb */
    size_t said_length, heard;
    char told[1 << 16];
    size_t told_length;
};

extern struct fake_gdb fake_gdb;
extern const struct gdb_target fake_gdb_target;
extern const struct gdb_line fake_gdb_line;

void fake_gdb_reset(void);
