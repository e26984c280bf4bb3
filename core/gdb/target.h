/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The machine as the protocol sees it: CPUs, which are gdb's threads, registers, memory and points.
 * Called while all CPUs are stopped. Registers are numbered in the order of the description.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/lib/refusal.h"

/* Numbered as in Z packets. */
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
    unsigned (*cpus)(void);             /* numbered from 0; there may be gaps */
    bool (*cpu_is_there)(unsigned cpu); /* true if the CPU is in use, stopped or not */
    /* Describes the CPU in a few words, for the user. */
    void (*cpu_describe)(unsigned cpu, char *text, size_t size);

    const char *description; /* target.xml */
    unsigned (*registers)(void);
    size_t (*register_size)(unsigned number);
    const unsigned *expedited; /* registers in every report of a stop */
    unsigned expedited_count;
    /* Returns false if the value is unknown. */
    bool (*register_read)(unsigned cpu, unsigned number, uint8_t *bytes);
    int (*register_write)(unsigned cpu, unsigned number, const uint8_t *bytes, struct refusal *why);

    /* Returns the number of bytes read from `address` on. */
    size_t (*memory_read)(uint64_t address, uint8_t *to, size_t length);
    /* Writes all bytes or none. */
    int (*memory_write)(uint64_t address, const uint8_t *from, size_t length, struct refusal *why);

    /* Refuses what will never stop there, and what is refused for the address alone. */
    int (*point_refuse)(enum gdb_point kind, uint64_t address, struct refusal *why);
    /*
     * Setting a point twice, or clearing one that is not set, is not an error. On success *why,
     * which was "", may say what the user should know of the point.
     */
    int (*point_change)(bool set, enum gdb_point kind, uint64_t address, uint64_t length,
                        struct refusal *why);
    void (*points_clear)(void);
};
