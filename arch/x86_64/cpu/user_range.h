/* SPDX-License-Identifier: BSD-2-Clause */
/* The programs' addresses, for arch/memory.h; arch/embed has its own. */
#pragma once

#include <stdint.h>

/*
 * [ARCH_USER_START, ARCH_USER_END) may be mapped: not what virtual-8086 mode could reach
 * (trap_entry.asm), and not the last page of the lower half, so that the address after a `syscall`
 * is canonical.
 */
#define ARCH_USER_START ((uintptr_t)0x110000)
#define ARCH_USER_END   ((uintptr_t)0x7ffffffff000)
