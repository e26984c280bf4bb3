/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which addresses are programs'. Part of arch/memory.h; where Pitot is embedded, arch/embed has one
 * of these in place of this one.
 */
#pragma once

#include <stdint.h>

/*
 * The addresses that a program may have mapped: [ARCH_USER_START, ARCH_USER_END). Unmapped stay all
 * addresses that code in virtual-8086 mode could reach (trap_entry.asm), page 0 among them, and the
 * last page of the lower half, so that the address after a `syscall` is canonical wherever the
 * `syscall` stands.
 */
#define ARCH_USER_START ((uintptr_t)0x110000)
#define ARCH_USER_END   ((uintptr_t)0x7ffffffff000)
