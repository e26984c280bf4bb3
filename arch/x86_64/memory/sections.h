/* SPDX-License-Identifier: BSD-2-Clause */
/* Symbols of linker.ld. Traps use nowatch sections while watches are armed (docs/kernel.md). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NOWATCH_DATA __attribute__((section(".data.nowatch")))

/* A function that runs only in debug traps and NMIs; linker.ld lists files of nothing else. */
#define UNSEEN_TEXT __attribute__((section(".text.unseen")))

extern const char hit_text_start[], hit_text_end[];
extern const char unseen_text_start[], unseen_text_end[];
extern const char nowatch_text_start[], nowatch_text_end[];
extern const char nowatch_data_start[], nowatch_data_end[];
extern const char nowatch_stacks_start[], nowatch_stacks_end[];
extern const char insn_map_start[], insn_map_end[];

static inline bool section_overlaps(const void *start, const void *end, uintptr_t address,
                                    size_t length)
{
    return address < (uintptr_t)end && address + length > (uintptr_t)start;
}

/* True if `ip` is in a trap's entry or exit. */
static inline bool nowatch_text_has(uintptr_t ip)
{
    return ip >= (uintptr_t)nowatch_text_start && ip < (uintptr_t)nowatch_text_end;
}
