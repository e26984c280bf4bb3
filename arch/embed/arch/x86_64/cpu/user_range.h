/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * No address is a program's, in place of arch/x86_64/cpu/user_range.h: the kernel that embeds Pitot
 * may lie in the lower half itself.
 */
#pragma once

#include <stdint.h>

#define ARCH_USER_START ((uintptr_t)1)
#define ARCH_USER_END   ((uintptr_t)1)
