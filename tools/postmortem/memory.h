/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The memory of a machine that has stopped, by the kernel's own addresses: of a dump
 * (tools/postmortem/dump.c) or behind QEMU's stub for gdb (tools/postmortem/stub.c). Functions that
 * return false have printed the reason, but for `read`.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct memory {
    const char *path; /* what it is the memory of, as a person called it */
    /* Copies it all; false where some of it cannot be read. */
    bool (*read)(struct memory *memory, uint64_t address, void *to, size_t size);
    /* `go_on`: lets the machine run, where there is one. */
    bool (*close)(struct memory *memory, bool go_on);
};

/* NULL, and the reason was printed. One at a time. */
struct memory *dump_open(const char *path);
struct memory *stub_open(const char *path);

/* Always false, so that a check reads `return complain(...)`: one line on stderr. */
__attribute__((format(printf, 2, 3))) bool complain(const char *path, const char *format, ...);
