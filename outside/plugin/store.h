/* SPDX-License-Identifier: BSD-2-Clause */
/* A store, as those take it that keep the writers of memory (writers.h, shadow.h). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define STORE_MOST 16 /* bytes of a store whose value QEMU tells */

struct store {
    uint64_t time; /* that CPU's count of instructions */
    uint64_t ip;
    uint64_t address;
    unsigned length;
    uint32_t info; /* QEMU's qemu_plugin_meminfo_t */
};

/* What was stored. False: QEMU does not tell it; from 9.2 on it does. In its callback alone. */
bool store_value(const struct store *store, uint8_t value[STORE_MOST]);
