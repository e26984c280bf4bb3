/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Whether code in memory is that of the kernel's file, apart from fields that the kernel's slide,
 * `by`, has changed. Called by outside/plugin/code.c.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* True if an instruction is the file's. */
bool alike_instruction(const uint8_t *file, const uint8_t *run, size_t size, uint64_t by);

/*
 * True if the code around file[at] is in memory, too, where QEMU has file[at] at `host`. `size`:
 * bytes of the file. Memory is read by a system call, so it need not exist.
 */
bool alike_around(const uint8_t *file, size_t size, size_t at, uintptr_t host, uint64_t by);

/* The same for its page alone: true also if memory cannot be read. */
bool alike_page(const uint8_t *file, size_t size, size_t at, uintptr_t host, uint64_t by);
