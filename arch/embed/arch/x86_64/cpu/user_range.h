/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * No address belongs to a program; replaces arch/x86_64/cpu/user_range.h. The kernel that embeds
 * Pitot may itself be in the lower half.
 */
#pragma once

#include <stdint.h>

#define ARCH_USER_START ((uintptr_t)1)
#define ARCH_USER_END   ((uintptr_t)1)
