/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory that survives a reset: boot/memory.c finds it, and only the recorder uses it
 * (kernel/host.c). The ARCH_KEPT variables (arch/memory.h) are next to it.
 */
#pragma once

#include <stddef.h>

/* Boot, once. */
void kept_memory_set(void *start, size_t bytes);

/* NULL: this machine has none. Any context. */
void *kept_memory(size_t *bytes);
