/* SPDX-License-Identifier: BSD-2-Clause */
/* A store, as passed to the code that keeps the writers of memory (blame.h). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define STORE_MOST 16 /* bytes of the largest store whose value QEMU reports */

struct store {
    uint64_t time; /* the CPU's instruction count */
    uint64_t ip;
    uint64_t address;
    uint64_t context, thread;
    unsigned length;
    uint32_t interrupt; /* by the CPU itself, which enters a handler: 1 + vector; 0: it is not */
    bool atomic;        /* by an atomic instruction: with a lock prefix, or xchg */
    uint32_t info;      /* QEMU's qemu_plugin_meminfo_t */
};

/* Vectors end at 255. */
enum { STORE_VECTOR_UNKNOWN = 256, STORE_INTERRUPT_MOST };

/* Takes the most CPUs that the machine may have. Must be called before the first store. */
void store_begin(unsigned cpus);

/* Returns the length of an access in bytes; 0: it is not a store. */
unsigned store_length(uint32_t info);

/*
 * Sets the physical address of a byte of a store. False: it is a device's. May be called only in
 * the store's callback.
 */
bool store_place(uint32_t info, uint64_t address, uint64_t *physical);

/*
 * Sets the value of an access of up to 8 bytes, as read or stored. False if it is not known, as
 * before QEMU 9.2. May be called only in the access' callback, and not for an atomic one.
 */
bool store_access_value(uint32_t info, unsigned length, uint64_t *value);

/*
 * Copies the stored value. False if it is not known: QEMU before 9.2 does not report it, QEMU
 * reports the operand instead (an atomic store, with several CPUs), the CPU itself stored it, or it
 * is longer than STORE_MOST. May be called only in the store's callback.
 */
bool store_value(const struct store *store, uint8_t value[STORE_MOST]);
