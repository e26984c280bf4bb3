/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the protocol asks of the machine that it speaks for: its CPUs, which are gdb's threads,
 * their registers, memory, and points at which they stop. All CPUs stand still when it asks.
 * Numbers of registers are the target's, in the order of its description.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/lib/refusal.h"

/* As Z packets number them. */
enum gdb_point {
    GDB_POINT_SOFTWARE,
    GDB_POINT_HARDWARE,
    GDB_POINT_WRITE,
    GDB_POINT_READ,
    GDB_POINT_ACCESS,
    GDB_POINT_KINDS,
};

#define GDB_REGISTER_BYTES 16 /* the largest */

struct gdb_target {
    unsigned (*cpus)(void);             /* numbered from 0; there may be gaps: */
    bool (*cpu_is_there)(unsigned cpu); /* one that runs, whether or not it stands still */
    /* What a person wants to know of it, in a few words. */
    void (*cpu_describe)(unsigned cpu, char *text, size_t size);

    const char *description; /* target.xml */
    unsigned (*registers)(void);
    size_t (*register_size)(unsigned number);
    /* Those that every stop's report carries. */
    const unsigned *expedited;
    unsigned expedited_count;
    /* False: it is not known. */
    bool (*register_read)(unsigned cpu, unsigned number, uint8_t *bytes);
    int (*register_write)(unsigned cpu, unsigned number, const uint8_t *bytes, struct refusal *why);

    /* How many bytes from `address` on could be read. */
    size_t (*memory_read)(uint64_t address, uint8_t *to, size_t length);
    /* All or nothing. */
    int (*memory_write)(uint64_t address, const uint8_t *from, size_t length, struct refusal *why);

    /* To set one twice, or to clear what is not set, is no error. */
    int (*point_set)(enum gdb_point kind, uint64_t address, uint64_t length, struct refusal *why);
    int (*point_clear)(enum gdb_point kind, uint64_t address, uint64_t length, struct refusal *why);
    void (*points_clear)(void);
};
