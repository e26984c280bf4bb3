/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which addresses are programs'. Part of arch/memory.h; where Pitot is embedded, arch/embed has one
 * of these in place of this one.
 */
#pragma once

#include <stdint.h>

/*
 * What a program may have mapped: [ARCH_USER_START, ARCH_USER_END). All that code in virtual-8086
 * mode could reach stays a hole (trap_entry.asm), page 0 with it, and so does the last page of the
 * lower half, so that the address after a `syscall` is canonical wherever that stands.
 */
#define ARCH_USER_START ((uintptr_t)0x110000)
#define ARCH_USER_END   ((uintptr_t)0x7ffffffff000)
