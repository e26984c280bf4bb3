/* SPDX-License-Identifier: BSD-2-Clause */
/* The programs' addresses, for arch/memory.h; arch/embed has its own. */
#pragma once

#include <stdint.h>

/*
 * [ARCH_USER_START, ARCH_USER_END): above what virtual-8086 mode could reach (trap_entry.asm), and
 * without the lower half's last page, so that the address after a `syscall` is canonical.
 */
#define ARCH_USER_START ((uintptr_t)0x110000)
#define ARCH_USER_END   ((uintptr_t)0x7ffffffff000)
