/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads the memory of a stopped machine at the kernel's addresses, from a dump (dump.c) or through
 * QEMU's stub for gdb (stub.c). Functions other than `read` that return false have printed the
 * reason.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct memory {
    const char *path; /* as typed */
    /* False: some of it cannot be read. */
    bool (*read)(struct memory *memory, uint64_t address, void *to, size_t size);
    /* `go_on`: continues the machine, if there is one. */
    bool (*close)(struct memory *memory, bool go_on);
};

/* Return NULL, after printing the reason, on an error. Only one memory can be open at a time. */
struct memory *dump_open(const char *path);
struct memory *stub_open(const char *path);

/* Prints one line on stderr. Always returns false, so that a check reads `return complain(...)`. */
__attribute__((format(printf, 2, 3))) bool complain(const char *path, const char *format, ...);
