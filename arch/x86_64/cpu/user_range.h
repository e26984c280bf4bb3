/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Address range of programs. Part of arch/memory.h; arch/embed has a replacement for when Pitot is
 * embedded.
 */
#pragma once

#include <stdint.h>

/*
 * The addresses that a program may have mapped: [ARCH_USER_START, ARCH_USER_END). The following
 * stay unmapped: all addresses that code in virtual-8086 mode could reach (trap_entry.asm),
 * including page 0; and the last page of the lower half, so that the address after a `syscall` is
 * always canonical.
 */
#define ARCH_USER_START ((uintptr_t)0x110000)
#define ARCH_USER_END   ((uintptr_t)0x7ffffffff000)
