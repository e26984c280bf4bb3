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
    bool atomic;   /* by an atomic instruction: with a lock prefix, or xchg */
    uint32_t info; /* QEMU's qemu_plugin_meminfo_t */
};

/* Takes the most CPUs that the machine may have. Must be called before the first store. */
void store_begin(unsigned cpus);

/*
 * Copies the stored value. False if it is not known: QEMU before 9.2 does not report it, QEMU
 * reports the operand instead (an atomic store, with several CPUs), or it is longer than
 * STORE_MOST. May be called only in the store's callback.
 */
bool store_value(const struct store *store, uint8_t value[STORE_MOST]);
