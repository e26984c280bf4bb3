/* SPDX-License-Identifier: BSD-2-Clause */
/* A store, as passed to the code that keeps the writers of memory (writers.h, shadow.h). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define STORE_MOST 16 /* bytes of the largest store whose value QEMU reports */

struct store {
    uint64_t time; /* the CPU's instruction count */
    uint64_t ip;
    uint64_t address;
    unsigned length;
    bool atomic;   /* by an instruction with a lock */
    uint32_t info; /* QEMU's qemu_plugin_meminfo_t */
};

/* The most CPUs the machine may have. Before the first store. */
void store_begin(unsigned cpus);

/*
 * The stored value. False: QEMU does not report it (before 9.2), or reports the operand (an atomic
 * store on several CPUs). Only in the store's callback.
 */
bool store_value(const struct store *store, uint8_t value[STORE_MOST]);
