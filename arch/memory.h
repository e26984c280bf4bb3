/* SPDX-License-Identifier: BSD-2-Clause */
/* Readable addresses, the programs' addresses, the kernel's text, the build ID. Any context. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/own.h"

#define PAGE_SIZE ((size_t)4096)

/*
 * The next three walk the kernel's page tables. Programs' mappings are not in them, as the kernel
 * may not use those.
 */
bool arch_mapped(uintptr_t address, size_t length);
/*
 * True if the range is mapped memory and not device registers, whose reads may have side effects.
 */
bool arch_readable(uintptr_t address, size_t length);
bool arch_executable(uintptr_t address);
/* Physical page number of a page from the page allocator. */
uint64_t arch_page_number(const void *page);
bool arch_canonical(uintptr_t address);

/* True for the addresses of programs; what lies below them is the kernel's, too. */
static inline bool arch_of_programs(uintptr_t address)
{
    return address >= ARCH_USER_START && address < ARCH_USER_END;
}

/* The kernel's code, [start, end); trap entries begin at plain_end. */
uintptr_t arch_text_start(void);
uintptr_t arch_text_plain_end(void);
uintptr_t arch_text_end(void);

/*
 * A variable that the boot code does not clear. It keeps its value across a reset if its memory
 * survives; otherwise it is 0. The one variable marked ARCH_KEPT_FIRST precedes all others, in
 * every build.
 */
#define ARCH_KEPT       __attribute__((section(".bss.kept")))
#define ARCH_KEPT_FIRST __attribute__((section(".bss.kept.first")))

#define ARCH_BUILD_ID_SIZE 20
const uint8_t *arch_build_id(void);
