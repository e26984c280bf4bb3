/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory that a reset leaves as it was: boot/memory.c finds it, and the recorder alone uses it
 * (kernel/host.c). Beside it lie the variables that are ARCH_KEPT (arch/memory.h).
 */
#pragma once

#include <stddef.h>

/* Boot, once. */
void kept_memory_set(void *start, size_t bytes);

/* NULL: this machine has none. Any context. */
void *kept_memory(size_t *bytes);
