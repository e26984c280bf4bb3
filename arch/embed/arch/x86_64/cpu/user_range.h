/* SPDX-License-Identifier: BSD-2-Clause */
/* No address is a program's. Replaces arch/x86_64/cpu/user_range.h. */
#pragma once

#include <stdint.h>

#define ARCH_USER_START ((uintptr_t)1)
#define ARCH_USER_END   ((uintptr_t)1)
