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

/*
 * --- The kernel's ELF file: its symbols, and the symbol table that the kernel itself uses, so that
 * names are the same as in the kernel (core/symbols/symbols.c, unchanged): kernel.c. ---
 */

#define KERNEL_BUILD_ID_SIZE 20

struct kernel {
    const char *path;
    uint8_t build_id[KERNEL_BUILD_ID_SIZE];
    uint64_t text, text_size;
    uint64_t recorder;      /* address of the struct recorder */
    uint64_t build_id_note; /* address of the ELF note with the build id */
};

bool kernel_open(struct kernel *kernel, const char *path);

/* True if this kernel is in that memory. */
bool kernel_is_in(const struct kernel *kernel, struct memory *memory);
