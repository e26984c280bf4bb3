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
    uint32_t info; /* QEMU's qemu_plugin_meminfo_t */
};

/* The stored value. False: QEMU does not report it, as before 9.2. Only in the store's callback. */
bool store_value(const struct store *store, uint8_t value[STORE_MOST]);
