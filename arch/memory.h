/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory: what may be read, which addresses belong to programs, where the kernel's text is, and
 * which build this is. For core, and for the kernel's page allocator and loader. Any context.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/x86_64/cpu/user_range.h"

#define PAGE_SIZE ((size_t)4096)

/*
 * All three walk the page tables by plain loads. Only for the kernel's memory: a program's mappings
 * do not count, as the kernel may not access them.
 */
bool arch_mapped(uintptr_t address, size_t length);
/* True if it is mapped, and is memory: reading a device's register may have effects. */
bool arch_readable(uintptr_t address, size_t length);
bool arch_executable(uintptr_t address);
/* The number of the machine's page that holds `page`, which is memory of the page allocator. */
uint64_t arch_page_number(const void *page);
bool arch_canonical(uintptr_t address);

/*
 * The kernel's code, [start, end); trap entries lie at its end, from plain_end on.
 */
uintptr_t arch_text_start(void);
uintptr_t arch_text_plain_end(void);
uintptr_t arch_text_end(void);

/*
 * A variable that no boot clears: where the kernel's page tables put it into memory that a reset
 * leaves alone, it has what the last boot left there, else 0. One variable is ARCH_KEPT_FIRST: it
 * lies before all others, in every build.
 */
#define ARCH_KEPT       __attribute__((section(".bss.kept")))
#define ARCH_KEPT_FIRST __attribute__((section(".bss.kept.first")))

/* The 20 bytes that name this build, as in the image's ELF note. */
#define ARCH_BUILD_ID_SIZE 20
const uint8_t *arch_build_id(void);
